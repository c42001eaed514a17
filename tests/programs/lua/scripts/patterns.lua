assert(("key = value"):match("^(%w+)%s*=%s*(%w+)$") == "key")
assert(("hello world"):gsub("o", { o = "0" }) == "hell0 w0rld")
assert(("THE (quick) fox"):find("%((%a+)%)") == 5)
assert(("f(a(b)c)d"):match("%b()") == "(a(b)c)" and ("THE END"):gsub("%f[%a]%a", string.lower) == "tHE eND")
assert((" trim "):match("^%s*(.-)%s*$") == "trim" and ("a,b,,c"):gsub(",", ";", 2) == "a;b;,c")
assert(("x"):rep(5, "-") == "x-x-x-x-x" and ("abc"):reverse() == "cba" and ("abc"):byte(-1) == 99)
assert(not pcall(string.find, "a", "[a") and not pcall(string.find, "a", "("))
local words = {}
for word, at in ("one two  three"):gmatch("(%a+)()") do words[#words + 1] = word .. at end
print(table.concat(words, ","), ("abc"):gsub("", "."), ("aaab"):find("a-b"))
