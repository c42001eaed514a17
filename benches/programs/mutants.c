/* Has a program run in the mode of code mutants, without a trial and as long as it likes, if MUTANTS is set. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t mode __asm__("__suspect_mode") __attribute__((visibility("hidden")));
extern int64_t fuel __asm__("__suspect_fuel") __attribute__((visibility("hidden")));

__attribute__((constructor)) static void choose(void)
{
    enum { MUTANTS = 4 };
    if (getenv("MUTANTS")) {
        mode = MUTANTS;
        fuel = INT64_MAX;
    }
}
