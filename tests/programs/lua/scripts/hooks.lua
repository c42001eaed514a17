local lines, calls = {}, 0
local function work(n) local t = 0
  for i = 1, n do t = t + i end
  return t
end
debug.sethook(function(event, line) if event == "line" then lines[line] = (lines[line] or 0) + 1 else calls = calls + 1 end end, "lc")
work(3)
debug.sethook()
assert(lines[3] >= 3 and lines[4] == 1 and calls >= 1)
local info = debug.getinfo(work, "SlnuL")
assert(info.linedefined == 2 and info.lastlinedefined == 5 and info.nparams == 1 and info.activelines[4])
print(info.short_src:match("[^/]*$"), info.what)
