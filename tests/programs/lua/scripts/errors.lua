local ok, value = pcall(error, { code = 7 })
assert(not ok and value.code == 7)
local depth = 0
local function down(n) depth = n if n == 0 then error("bottom", 0) end down(n - 1) return n end
assert(select(2, pcall(down, 50)) == "bottom" and depth == 0)
assert(select(2, xpcall(down, function(m) return m .. "!" end, 3)) == "bottom!")
assert(select(2, pcall(function() local t = nil return t.x end)):find("attempt to index a nil value"))
assert(select(2, pcall(function() return {} < {} end)):find("attempt to compare two table values"))
assert(select(2, pcall(function() return #5 end)):find("attempt to get length"))
print(pcall(function() return ("x")() end))
