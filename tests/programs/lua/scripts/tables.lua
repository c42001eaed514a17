local t = { 1, 2, 3, nil, 5, x = 1, ["y z"] = 2, [1.0] = 9, [2 ^ 53] = 3 }
assert(t[1] == 1 and t[2 ^ 53 | 0] == 3 and rawlen({ 1, 2 }) == 2)
local list = {}
for i = 1, 1000 do list[i] = i end
for i = 1, 500 do table.remove(list, 1) end
table.insert(list, 1, "first")
assert(#list == 501 and list[2] == 501 and table.unpack(list, 501, 501) == 1000)
table.move(list, 1, 3, 2)
assert(list[2] == "first" and list[4] == 502 and select("#", table.unpack({}, 1, 3)) == 3)
local keys, sum = 0, 0
local big = {}
for i = 1, 3000 do big["k" .. i] = i end
for i = 1, 3000, 2 do big["k" .. i] = nil end
for _, value in pairs(big) do keys, sum = keys + 1, sum + value end
assert(keys == 1500 and sum == 2251500)
assert(not pcall(function() t[nil] = 1 end) and not pcall(function() t[0 / 0] = 1 end) and not pcall(next, {}, "none"))
print(keys, sum, table.pack(1, nil, 3).n)
