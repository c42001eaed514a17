/* Runs a script. */
#include <stdio.h>
#include "lauxlib.h"
#include "lualib.h"

int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    if (!L || argc != 2)
        return 2;
    luaL_openlibs(L);
    if (luaL_dofile(L, argv[1])) {
        printf("failed: %s\n", lua_tostring(L, -1));
        return 1;
    }
    printf("%d results\n", lua_gettop(L));
    lua_close(L);
    return 0;
}
