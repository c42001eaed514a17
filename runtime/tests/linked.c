/* A program whose library is linked, not opened. */
#include "unit.h"

UNIT(0x3333333333333333, 2, 0);

int twice(int x);

int main(void)
{
    COUNT(0);
    int bad = twice(21) != 42;
    COUNT(1);
    CLEAN();
    return bad;
}
