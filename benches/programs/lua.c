/* Runs a mixed Lua workload; argument: how much of it. */
#include <stdio.h>
#include <stdlib.h>
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

static const char script[] =
    "local n = ...\n"
    "local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end\n"
    "local sum = fib(22 + n % 3)\n"
    "local t = {}\n"
    "for i = 1, 20000 * n do t[i] = (i * 7919) % 100003 end\n"
    "table.sort(t)\n"
    "for i = 1, #t, 17 do sum = sum + t[i] end\n"
    "local words = {}\n"
    "for i = 1, 4000 * n do local w = string.format('%d-%s', i % 977, string.rep('x', i % 13));\n"
    "  words[w] = (words[w] or 0) + 1 end\n"
    "local s = {}\n"
    "for w, c in pairs(words) do s[#s + 1] = w:upper():gsub('X', 'y') .. c end\n"
    "table.sort(s)\n"
    "local o = setmetatable({}, {__index = function(_, k) return k * 2 end})\n"
    "for i = 1, 30000 * n do sum = sum + o[i] % 5 end\n"
    "print(sum, #s, #table.concat(s))\n";

int main(int argc, char **argv)
{
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    if (luaL_loadstring(state, script))
        return 1;
    lua_pushinteger(state, argc > 1 ? atoi(argv[1]) : 3);
    if (lua_pcall(state, 1, 0, 0)) {
        fprintf(stderr, "%s\n", lua_tostring(state, -1));
        return 1;
    }
    lua_close(state);
    return 0;
}
