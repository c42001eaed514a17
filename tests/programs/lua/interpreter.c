/* Runs one Lua script with its arguments; what it raises goes to standard error and makes the exit status 1. */
#include <stdio.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"

static int traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    if (argc < 2 || L == NULL)
        return 2;
    luaL_openlibs(L);
    lua_pushcfunction(L, traceback);
    int status = luaL_loadfile(L, argv[1]);
    if (status == LUA_OK) {
        for (int i = 2; i < argc; i++)
            lua_pushstring(L, argv[i]);
        status = lua_pcall(L, argc - 2, 0, 1);
    }
    if (status != LUA_OK)
        fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    return status == LUA_OK ? 0 : 1;
}
