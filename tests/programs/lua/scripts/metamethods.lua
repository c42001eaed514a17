local log = {}
local V = {}
V.__index = function(t, k) log[#log + 1] = k return k == "zero" and V.new(0, 0) or nil end
V.__add = function(a, b) return V.new(a[1] + b[1], a[2] + b[2]) end
V.__mul = function(a, b) if type(a) == "number" then a, b = b, a end return V.new(a[1] * b, a[2] * b) end
V.__eq = function(a, b) return a[1] == b[1] and a[2] == b[2] end
V.__lt = function(a, b) return a[1] < b[1] end
V.__le = function(a, b) return a[1] <= b[1] end
V.__unm = function(a) return V.new(-a[1], -a[2]) end
V.__len = function() return 2 end
V.__call = function(self, i) return self[i] end
V.__tostring = function(a) return "(" .. a[1] .. ", " .. a[2] .. ")" end
V.__concat = function(a, b) return tostring(a) .. tostring(b) end
V.__newindex = function() error("fixed") end
V.__close = function() log[#log + 1] = "closed" end
function V.new(x, y) return setmetatable({ x, y }, V) end
local a, b = V.new(1, 2), V.new(3, 4)
assert(a + b == V.new(4, 6) and 2 * a == V.new(2, 4) and a * 2 == 2 * a and a < b and a <= b and not (b < a))
assert(#a == 2 and a(2) == 2 and -a == V.new(-1, -2) and a.zero == V.new(0, 0) and a.none == nil)
assert(not pcall(function() a.x = 1 end))
do local c <close> = V.new(9, 9) end
assert(log[#log] == "closed")
print(a .. b, a .. "|", tostring(-b))
