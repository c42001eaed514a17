local weak, count = setmetatable({}, { __mode = "k" }), 0
for i = 1, 2000 do
  local key = setmetatable({ i }, { __gc = function() count = count + 1 end })
  weak[key] = string.rep("x", i % 50)
end
collectgarbage() collectgarbage()
assert(next(weak) == nil and count == 2000)
collectgarbage("generational")
local keep = {}
for i = 1, 20000 do keep[i % 100 + 1] = { tostring(i) } end
collectgarbage("incremental")
collectgarbage()
print(#keep, count)
