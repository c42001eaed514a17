assert(string.format("%5d|%-5d|%05d|%+d", 42, 42, 42, 42) == "   42|42   |00042|+42")
assert(string.format("%.3f %g %e", 1 / 3, 1e20, 12345.678) == "0.333 1e+20 1.234568e+04")
assert(string.format("%x %X %o %c %q", 255, 255, 8, 65, 'a "b"') == [[ff FF 10 A "a \"b\""]])
assert(string.format("%q", 1 / 3) == "0x1.5555555555555p-2" and string.format("%a", 1.0):find("^0x1"))
assert(string.format("%-10s|%.2s", "left", "cut") == "left      |cu")
assert(not pcall(string.format, "%d", 1.5) and not pcall(string.format, "%y", 1))
for _, text in ipairs({ "0x.8", "1e-3", "  12  ", "0b1", "1_000", "inf", ".5", "5." }) do io.write(tostring(tonumber(text)), " ") end
print()
