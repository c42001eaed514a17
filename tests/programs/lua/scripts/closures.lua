local function counter()
  local n = 0
  return function() n = n + 1 return n end, function() return n end
end
local up, get = counter()
local other = counter()
for _ = 1, 5 do up() end
other()
assert(get() == 5)
local list = {}
for i = 1, 3 do list[i] = function() i = i * 10 return i end end
assert(list[1]() == 10 and list[1]() == 100 and list[2]() == 20)
local function fix(f) return (function(x) return x(x) end)(function(x) return f(function(n) return x(x)(n) end) end) end
print(fix(function(self) return function(n) return n < 2 and 1 or n * self(n - 1) end end)(15))
