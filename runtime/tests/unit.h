/* What the pass puts into an object, by hand: words of one translation unit, its descriptor, and the weak symbols. */
#ifndef UNIT_H
#define UNIT_H
#include <stdint.h>

extern uint32_t __suspect_mode __attribute__((weak, visibility("hidden")));
extern uint64_t __suspect_state[8] __attribute__((weak, visibility("hidden")));
uint64_t __suspect_node(uint64_t *slot, uint64_t value) __attribute__((visibility("hidden")));

enum { PLAIN, EDGES, VALUES, TRACE };
enum { STATE_LAST, STATE_CLEAN, STATE_NONLOCAL };

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* `unit_words`: n_counters counters and n_values values. */
#define UNIT(hash, n_counters, n_values)                                                                              \
    static volatile uint64_t unit_words[(n_counters) + (n_values)]                                                    \
        __attribute__((section("suspect_data"), used, retain)) = {0};                                                 \
    __asm__(".pushsection suspect_units,\"awR\",@progbits\n.p2align 3\n.quad " TEXT(hash) "\n"                        \
            ".quad unit_words - ., 0, 0\n.long " TEXT(n_counters) ", " TEXT(n_values) ", 0, 0\n.popsection")
#define COUNT(counter) (__suspect_mode ? (void)unit_words[counter]++ : (void)0)
#define CLEAN() (__suspect_mode ? (void)(__suspect_state[STATE_CLEAN] = 1) : (void)0)
#endif
