local function permutations(list, n)
  n = n or #list
  if n == 1 then return coroutine.yield(table.concat(list)) end
  for i = 1, n do
    list[n], list[i] = list[i], list[n]
    permutations(list, n - 1)
    list[n], list[i] = list[i], list[n]
  end
end
local seen = {}
for word in coroutine.wrap(function() permutations({ "a", "b", "c", "d" }) end) do
  assert(not seen[word])
  seen[word], seen[#seen + 1] = true, word
end
assert(#seen == 24)
local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local ok, message = pcall(function() coroutine.yield(c * 2) error("inside") end)
  assert(not ok and message:find("inside"))
  return "end"
end)
assert(select(2, coroutine.resume(co, 1, 2)) == 3 and select(2, coroutine.resume(co, 21)) == 42)
assert(select(2, coroutine.resume(co)) == "end" and coroutine.status(co) == "dead")
print(coroutine.resume(co))
