// The least a runtime can be: takes the mode from TEST_MODE and at the end writes every unit's words to TEST_OUT, as
// text: a line `state CLEAN NONLOCAL LOGGED TICKS`, then for each unit `unit HASH COUNTERS VALUES` and one word a line.
//
// TEST_MUTANT is `GATE OPERATION WHAT NUMBER WIDTH`: what the first unit's operation of this number does instead, in the function of this
// number: `operator` (number N of the format's), `left`, `right` or `result` (the operand or result is NUMBER), `choice`, `variable`.
// In the mode of mutants all other gates stay shut, unless TEST_GATES is there: then all are open, as in that of traces.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

struct descriptor {
  uint64_t hash;
  int64_t relative, gates_relative, operations_relative;
  uint32_t counters, values, gates, operations;
};

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN uint32_t __suspect_mode;
HIDDEN uint64_t __suspect_state[512];
extern struct descriptor __start_suspect_units[] __attribute__((weak, visibility("hidden")));
extern struct descriptor __stop_suspect_units[] __attribute__((weak, visibility("hidden")));
static uint64_t logged;

// The trajectory's hash, as the format defines it.
static void log_value(uint64_t *slot, uint64_t value) {
  *slot = *slot * 1481765933u + value;
  logged++;
}

HIDDEN uint64_t __suspect_node(uint64_t *slot, uint64_t value) {
  log_value(slot, value);
  return value;
}

HIDDEN void *__suspect_pointer(uint64_t *slot, void *value) {
  log_value(slot, (uint64_t)value);
  return value;
}

HIDDEN char *__suspect_text(uint64_t *slot, char *value) {
  log_value(slot, (uint64_t)value);
  return value;
}

HIDDEN void __suspect_object(void *object) { (void)object; }

static uint64_t ticks;

HIDDEN void __suspect_tick(void) { ticks++; }

#define FULL (INT64_C(1) << 62)
HIDDEN int64_t __suspect_fuel = 3;
static int64_t burnt = 3;

// Of several threads, another one may have counted on or refuelled before this one is here.
HIDDEN void __suspect_refuel(void) {
  if (__libc_single_threaded && __suspect_fuel != -1)
    abort();
  __suspect_fuel = FULL - 1;
  burnt += FULL;
}

// The mode of recordings: the header page that steps write to, and hooks that only count.
#define HEADER (UINT64_C(0x600000000000) - (UINT64_C(4) << 40))
static uint64_t recorded;

HIDDEN uint32_t __suspect_enter(uint32_t id, void *frame, void *function, const void *addresses) {
  (void)id, (void)frame, (void)function, (void)addresses;
  uint32_t outside = (uint32_t)__suspect_state[3];
  __suspect_state[3] = 0;
  return outside;
}

HIDDEN void __suspect_step(uint32_t number) { (void)number; }

HIDDEN void __suspect_loaded(uint32_t slot, uint64_t bits) {
  (void)bits;
  if (slot > UINT16_MAX)
    abort();
  recorded++;
}

HIDDEN uint64_t __suspect_branch(uint64_t outcome, uint32_t ways) {
  if (outcome >= ways)
    abort();
  return outcome;
}

HIDDEN void __suspect_call(uint32_t external, void *callee, uint64_t *arguments, uint32_t count) {
  (void)external, (void)callee;
  for (uint32_t i = 0; i < count; i++)
    recorded += arguments[i] & 1;
}

HIDDEN void __suspect_called(uint64_t *arguments, uint64_t result) { (void)arguments, (void)result; }

HIDDEN void __suspect_setjmp(void *frame, uint64_t result) { (void)frame, (void)result; }

static struct {
  char what[16];
  uint64_t number;
  unsigned width;
} mutant;

static uint64_t apply(unsigned operator, unsigned width, uint64_t left, uint64_t right) {
  uint64_t mask = UINT64_MAX >> (64 - width);
  int64_t a = (int64_t)(left << (64 - width)) >> (64 - width), b = (int64_t)(right << (64 - width)) >> (64 - width);
  unsigned count = right & (width > 32 ? 63 : 31);
  double x, y, z;
  float f, g;
  memcpy(&x, &left, 8), memcpy(&y, &right, 8);
  memcpy(&f, &left, 4), memcpy(&g, &right, 4);
  if (width == 32)
    x = f, y = g;
  switch (operator) {
  case 1: return (left + right) & mask;
  case 2: return (left - right) & mask;
  case 3: return (left * right) & mask;
  case 4: return (uint64_t)(a / b) & mask;
  case 5: return left / right;
  case 6: return (uint64_t)(a % b) & mask;
  case 7: return left % right;
  case 8: return left & right;
  case 9: return left | right;
  case 10: return left ^ right;
  case 11: return (left << count) & mask;
  case 12: return (uint64_t)(a >> count) & mask;
  case 13: return left >> count;
  case 14: return left == right;
  case 15: return left != right;
  case 16: return a < b;
  case 17: return a <= b;
  case 18: return a > b;
  case 19: return a >= b;
  case 20: return left < right;
  case 21: return left <= right;
  case 22: return left > right;
  case 23: return left >= right;
  case 24: z = x + y; break;
  case 25: z = x - y; break;
  case 26: z = x * y; break;
  case 27: z = x / y; break;
  case 28: return x == y;
  case 29: return x != y;
  case 30: return x < y;
  case 31: return x <= y;
  case 32: return x > y;
  case 33: return x >= y;
  case 34: return left;
  default: return right;
  }
  uint64_t bits = 0;
  f = (float)z;
  if (width == 32)
    memcpy(&bits, &f, 4);
  else
    memcpy(&bits, &z, 8);
  return bits;
}

// What the mutant's operator is, when an operand changes.
static unsigned own_operator;

HIDDEN uint64_t __suspect_operation(uint8_t *operation, uint64_t left, uint64_t right, uint64_t result) {
  if (!*operation)
    return result;
  if (!strcmp(mutant.what, "operator"))
    return apply((unsigned)mutant.number, mutant.width, left, right);
  if (!strcmp(mutant.what, "left"))
    return apply(own_operator, mutant.width, mutant.number, right);
  if (!strcmp(mutant.what, "right"))
    return apply(own_operator, mutant.width, left, mutant.number);
  return !strcmp(mutant.what, "result") ? mutant.number : result;
}

HIDDEN void *__suspect_variable(uint8_t *operation, void *variable, void *const *others) {
  return *operation ? others[mutant.number] : variable;
}

HIDDEN uint64_t __suspect_choice(uint8_t *operation) { return *operation ? mutant.number : 0; }

static void activate(void) {
  const char *text = getenv("TEST_MUTANT");
  uint32_t gate, number;
  long long value;
  if (!text)
    return;
  if (sscanf(text, "%u %u %15s %lli %u %u", &gate, &number, mutant.what, &value, &mutant.width, &own_operator) < 5)
    abort();
  mutant.number = (uint64_t)value;
  struct descriptor *unit = __start_suspect_units;
  if (number >= unit->operations)
    abort();
  ((uint8_t *)&unit->operations_relative + unit->operations_relative)[number] = 1;
  if (gate < unit->gates)
    ((uint8_t *)&unit->gates_relative + unit->gates_relative)[gate] = 1;
}

static void finish(void) {
  const char *path = getenv("TEST_OUT");
  FILE *out = path ? fopen(path, "w") : 0;
  if (!out)
    return;
  fprintf(out, "state %llu %llu %llu %llu\n", (unsigned long long)__suspect_state[1], (unsigned long long)__suspect_state[2],
          (unsigned long long)logged, (unsigned long long)(ticks + (uint64_t)(burnt - __suspect_fuel)));
  for (struct descriptor *unit = __start_suspect_units; unit < __stop_suspect_units; unit++) {
    const uint64_t *word = (const uint64_t *)((const char *)&unit->relative + unit->relative);
    fprintf(out, "unit %llu %u %u\n", (unsigned long long)unit->hash, unit->counters, unit->values);
    for (uint32_t i = 0; i < unit->counters + unit->values; i++)
      fprintf(out, "%llu\n", (unsigned long long)word[i]);
  }
  fclose(out);
}

static void __attribute__((constructor)) start(void) {
  const char *mode = getenv("TEST_MODE");
  activate();
  __suspect_mode = mode ? (uint32_t)atoi(mode) : 0;
  if (__suspect_mode == 5)
    mmap((void *)HEADER, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (__suspect_mode == 3 || getenv("TEST_GATES"))
    for (struct descriptor *unit = __start_suspect_units; unit < __stop_suspect_units; unit++)
      memset((char *)&unit->gates_relative + unit->gates_relative, 1, unit->gates);
  if (getenv("TEST_OUT"))
    atexit(finish);
}
