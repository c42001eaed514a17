// The least a runtime can be: takes the mode from TEST_MODE and at the end writes every unit's words to TEST_OUT, as
// text: a line `unit HASH COUNTERS VALUES`, then one word a line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

HIDDEN uint64_t __suspect_node(uint64_t *slot, uint64_t value) {
  (void)slot;
  logged++;
  return value;
}

HIDDEN void __suspect_pointer(uint64_t *slot, void *value) {
  (void)slot;
  (void)value;
  logged++;
}

HIDDEN char *__suspect_text(uint64_t *slot, char *value) {
  (void)slot;
  logged++;
  return value;
}

HIDDEN void __suspect_object(void *object) { (void)object; }

HIDDEN void __suspect_tick(void) {}

static void finish(void) {
  const char *path = getenv("TEST_OUT");
  FILE *out = path ? fopen(path, "w") : 0;
  if (!out)
    return;
  fprintf(out, "state %llu %llu %llu\n", (unsigned long long)__suspect_state[1], (unsigned long long)__suspect_state[2],
          (unsigned long long)logged);
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
  __suspect_mode = mode ? (uint32_t)atoi(mode) : 0;
  if (getenv("TEST_OUT"))
    atexit(finish);
}
