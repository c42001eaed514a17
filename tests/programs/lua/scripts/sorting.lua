local list, state = {}, 12345
for i = 1, 3000 do
  state = (state * 1103515245 + 12345) & 0x7fffffff
  list[i] = state % 1000
end
table.sort(list)
for i = 2, #list do assert(list[i - 1] <= list[i]) end
table.sort(list, function(a, b) return a > b end)
for i = 2, #list do assert(list[i - 1] >= list[i]) end
assert(not pcall(table.sort, { 1, "a", {} }))
local words = { "pear", "apple", "fig" }
table.sort(words, function(a, b) return #a < #b or #a == #b and a < b end)
print(list[1], list[#list], table.concat(words, " "))
