local file = assert(io.tmpfile())
for i = 1, 100 do file:write(i, " ", i * i, "\n") end
file:seek("set", 0)
local sum = 0
for _ = 1, 100 do
  local a, b = file:read("n", "n")
  assert(a * a == b)
  sum = sum + b
end
assert(sum == 338350 and file:read("l") == "" and file:read("l") == nil)
file:seek("set", 0)
assert(file:read(5) == "1 1\n2" and file:read("L") == " 4\n" and #file:read("a") > 100)
file:close()
assert(not pcall(file.read, file))
print(io.open("/nonexistent/file"))
