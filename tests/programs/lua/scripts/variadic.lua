local function count(...) return select("#", ...) end
local function pass(...) return ... end
assert(count() == 0 and count(nil, nil) == 2 and count(pass(1, 2), pass(3, 4)) == 3 and count((pass(1, 2))) == 1)
local function sum(first, ...) if not first then return 0 end return first + sum(...) end
local many = {}
for i = 1, 150 do many[i] = i end
assert(sum(table.unpack(many)) == 11325 and select(-1, table.unpack(many)) == 150)
local packed = table.pack(pass(nil, 2, nil))
assert(packed.n == 3 and packed[2] == 2)
print(string.format("%s %s %s", pass("a", "b", "c")), (select("#", table.unpack({}, 1, 200))))
