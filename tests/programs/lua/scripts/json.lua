-- A small reader, to make the parser, tables and string functions work together.
local function read(text, at)
  at = text:match("^%s*()", at)
  local c = text:sub(at, at)
  if c == "{" or c == "[" then
    local result, close, n = {}, c == "{" and "}" or "]", 0
    at = text:match("^%s*()", at + 1)
    if text:sub(at, at) == close then return result, at + 1 end
    repeat
      local key, value
      if c == "{" then key, at = read(text, at) at = assert(text:match("^%s*:()", at), "colon") end
      value, at = read(text, at)
      n = n + 1
      result[key or n] = value
      local separator, after = text:match("^%s*([,%]}])()", at)
      at = assert(after, "separator")
    until separator == close
    return result, at
  end
  local str, after = text:match('^"([^"]*)"()', at)
  if str then return str, after end
  local number, rest = text:match("^(-?%d+%.?%d*)()", at)
  return assert(tonumber(number), "value"), rest
end
local value = read('{"a": [1, 2.5, {"b": "c"}], "d": {}, "e": -7}', 1)
assert(value.a[2] == 2.5 and value.a[3].b == "c" and next(value.d) == nil and value.e == -7)
assert(not pcall(read, "[1 2]", 1) and not pcall(read, "{1}", 1))
print(#value.a)
