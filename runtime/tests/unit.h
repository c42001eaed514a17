/* What the pass puts into an object, by hand: words of one translation unit, its descriptor, and the weak symbols. */
#ifndef UNIT_H
#define UNIT_H
#include <stdint.h>

extern uint32_t __suspect_mode __attribute__((weak, visibility("hidden")));
extern uint64_t __suspect_state[8] __attribute__((weak, visibility("hidden")));
uint64_t __suspect_node(uint64_t *slot, uint64_t value) __attribute__((visibility("hidden")));

uint64_t __suspect_operation(uint8_t *operation, uint64_t left, uint64_t right, uint64_t result)
    __attribute__((visibility("hidden")));
void *__suspect_variable(uint8_t *operation, void *variable, void *const *others) __attribute__((visibility("hidden")));
uint64_t __suspect_choice(uint8_t *operation) __attribute__((visibility("hidden")));
void __suspect_tick(void) __attribute__((visibility("hidden")));
extern int64_t __suspect_fuel __attribute__((weak, visibility("hidden")));
void __suspect_refuel(void) __attribute__((visibility("hidden")));

enum { PLAIN, EDGES, VALUES, TRACE, MUTANTS };
enum { STATE_LAST, STATE_CLEAN, STATE_NONLOCAL };

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
/* `unit_words`: n_counters counters and n_values values. */
#define UNIT(hash, n_counters, n_values)                                                                              \
    static volatile uint64_t unit_words[(n_counters) + (n_values)]                                                    \
        __attribute__((section("suspect_data"), used, retain)) = {0};                                                 \
    __asm__(".pushsection suspect_units,\"awR\",@progbits\n.p2align 3\n.quad " TEXT(hash) "\n"                        \
            ".quad unit_words - ., 0, 0\n.long " TEXT(n_counters) ", " TEXT(n_values) ", 0, 0\n.popsection")
/* The same with gates and operations. */
#define CODE_UNIT(hash, n_counters, n_values, n_gates, n_operations)                                                  \
    static volatile uint64_t unit_words[(n_counters) + (n_values)]                                                    \
        __attribute__((section("suspect_data"), used, retain)) = {0};                                                 \
    static volatile uint8_t unit_gates[n_gates] __attribute__((section("suspect_gates"), used, retain)) = {0};        \
    static uint8_t unit_operations[n_operations] __attribute__((section("suspect_operations"), used, retain)) = {0};  \
    __asm__(".pushsection suspect_units,\"awR\",@progbits\n.p2align 3\n.quad " TEXT(hash) "\n"                        \
            ".quad unit_words - .\n.quad unit_gates - .\n.quad unit_operations - .\n"                                 \
            ".long " TEXT(n_counters) ", " TEXT(n_values) ", " TEXT(n_gates) ", " TEXT(n_operations) "\n.popsection")
/* What a function does where it is entered and where it goes round. */
#define TICK()                                                                                                        \
    do {                                                                                                              \
        if (__suspect_mode == MUTANTS && --__suspect_fuel < 0)                                                        \
            __suspect_refuel();                                                                                       \
        if (__suspect_mode == TRACE)                                                                                  \
            __suspect_tick();                                                                                         \
    } while (0)
#define COUNT(counter) (__suspect_mode ? (void)unit_words[counter]++ : (void)0)
#define CLEAN() (__suspect_mode ? (void)(__suspect_state[STATE_CLEAN] = 1) : (void)0)
#endif
