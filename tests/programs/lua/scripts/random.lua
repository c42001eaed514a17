math.randomseed(42)
local first = {}
for i = 1, 100 do
  first[i] = math.random(1, 6)
  assert(first[i] >= 1 and first[i] <= 6)
end
math.randomseed(42)
for i = 1, 100 do assert(math.random(1, 6) == first[i]) end
for _ = 1, 100 do local x = math.random() assert(x >= 0 and x < 1) end
assert(not pcall(math.random, 2, 1) and math.random(5, 5) == 5)
print(table.concat(first))
