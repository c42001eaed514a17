// The trace version calls the runtime where a function is entered that calls others and where a loop goes round, so that every loop can be ended.
// RUN: %clang -O1 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O1 -S -emit-llvm %s -o - | %FileCheck --check-prefix=COUNT %s
int get(void);

// CHECK-LABEL: define internal {{.*}}@straight.suspect.trace(
// CHECK: call void @__suspect_tick()
// CHECK-NOT: call void @__suspect_tick()
// CHECK: ret
int straight(int x) {
  if (x)
    return get();
  return 2;
}

// It calls nothing that could call it.
// CHECK-LABEL: define internal {{.*}}@leaf.suspect.trace(
// CHECK-NOT: call void @__suspect_tick()
// CHECK: ret
int leaf(const char *x) {
  return x ? __builtin_strlen(x) : 2;
}

// CHECK-LABEL: define internal {{.*}}@empty.suspect.trace(
// CHECK-NOT: call void @__suspect_tick()
// CHECK: br label %[[LOOP:.*]]
// CHECK: [[LOOP]]:
// CHECK: call void @__suspect_tick()
// CHECK-NEXT: br label %[[LOOP]]
void empty(void) {
  for (;;)
    ;
}

// Nested, left in the middle, and entered in two places.
// CHECK-LABEL: define internal {{.*}}@tangled.suspect.trace(
// CHECK-COUNT-4: call void @__suspect_tick()
// CHECK-NOT: call void @__suspect_tick()
// CHECK: ret
int tangled(int x) {
  int n = 0;
  for (int i = 0; i < x; i++)
    while (get())
      n++;
  if (x > 7)
    goto middle;
top:
  n += get();
middle:
  if (n < 100)
    goto top;
  return n;
}

// A computed jump goes back, too.
// CHECK-LABEL: define internal {{.*}}@computed.suspect.trace(
// CHECK: call void @__suspect_tick()
// CHECK: indirectbr
int computed(const char *code) {
  static void *const labels[] = {&&stop, &&next};
next:
  goto *labels[*code++ & 1];
stop:
  return 0;
}

// Seven in all: none in the other versions.
// COUNT-COUNT-7: call void @__suspect_tick()
// COUNT-NOT: call void @__suspect_tick()
