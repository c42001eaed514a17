/* A library with hand-made hooks for code mutants. */
#include "unit.h"

CODE_UNIT(0x5555555555555555, 1, 0, 1, 1);

static uint64_t twice_traced(uint64_t x)
{
    for (int i = 0; i < 3; i++)
        __suspect_tick();
    return __suspect_operation(&unit_operations[0], x, 2, 2 * x);
}

uint64_t twice(uint64_t x)
{
    if (unit_gates[0])
        return twice_traced(x);
    for (int i = 0; i < 3; i++)
        TICK();
    return 2 * x;
}
