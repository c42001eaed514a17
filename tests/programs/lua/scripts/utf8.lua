local text = "aé€😀"
assert(utf8.len(text) == 4 and #text == 10 and utf8.char(97, 233, 8364, 128512) == text)
local points = {}
for at, code in utf8.codes(text) do points[#points + 1] = at .. "=" .. code end
assert(utf8.codepoint(text, 2) == 233 and utf8.offset(text, 3) == 4)
local length, bad = utf8.len("\xff")
assert(length == nil and bad == 1 and not pcall(utf8.codepoint, "\xed\xa0\x80"))
print(table.concat(points, " "))
