/* A shared library with hand-made hooks. */
#include "unit.h"

UNIT(0x2222222222222222, 600, 2);

int twice(int x)
{
    COUNT(0);
    COUNT(599);
    return 2 * x;
}
