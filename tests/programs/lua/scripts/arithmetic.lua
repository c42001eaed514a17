assert(7 // 2 == 3 and -7 // 2 == -4 and 7 % -3 == -2 and -7 % 3 == 2)
assert(7 / 2 == 3.5 and 2 ^ 10 == 1024.0 and 1e308 * 10 == math.huge)
assert(math.maxinteger + 1 == math.mininteger and math.mininteger // -1 == math.mininteger)
assert(3 == 3.0 and math.type(3) == "integer" and math.type(3.0) == "float" and "10" + 5 == 15)
local nan = 0 / 0
assert(nan ~= nan and not (nan < 1) and not (nan >= 1))
assert(select(2, pcall(function() return 1 // 0 end)):find("divide by zero"))
print(7 // 2.0, -7 % 2.5, 2 ^ 0.5, 100000000000000, 1e15, -0.0)
