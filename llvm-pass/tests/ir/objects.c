// In the trace version the runtime is told what the C library's allocators made, after the call.
// RUN: %clang -O1 -g -S -emit-llvm %s -o - | %FileCheck %s
#define _GNU_SOURCE
#include <stddef.h>
void *malloc(size_t), *realloc(void *, size_t);
int posix_memalign(void **, size_t, size_t);
int asprintf(char **, const char *, ...);
void *mine(size_t);
void *valloc(size_t size) { return mine(size); }
extern void *place;
extern char *text;

// CHECK-LABEL: define internal {{.*}}@returned.suspect.trace(
// CHECK: [[CALLED:%.*]] = call ptr @__suspect_variable({{.*}}, ptr @malloc, ptr
// CHECK: [[MADE:%.*]] = {{.*}}call {{.*}}ptr [[CALLED]](
// CHECK: call void @__suspect_object(ptr [[MADE]])
// CHECK: [[MADE:%.*]] = {{.*}}call {{.*}}ptr @realloc(
// CHECK: call void @__suspect_object(ptr [[MADE]])
void *returned(size_t size) { return realloc(malloc(size), size * 2); }

// CHECK-LABEL: define internal {{.*}}@left.suspect.trace(
// CHECK: [[DONE:%.*]] = {{.*}}call i32 @posix_memalign(ptr {{.*}}@place
// CHECK: [[GOOD:%.*]] = icmp eq i32 [[DONE]], 0
// CHECK: [[LEFT:%.*]] = load ptr, ptr @place
// CHECK: [[MADE:%.*]] = select i1 [[GOOD]], ptr [[LEFT]], ptr null
// CHECK: call void @__suspect_object(ptr [[MADE]])
// CHECK: [[DONE:%.*]] = {{.*}}call i32 {{.*}}@asprintf(ptr {{.*}}@text
// CHECK: [[GOOD:%.*]] = icmp sge i32 [[DONE]], 0
// CHECK: [[LEFT:%.*]] = load ptr, ptr @text
// CHECK: [[MADE:%.*]] = select i1 [[GOOD]], ptr [[LEFT]], ptr null
// CHECK: call void @__suspect_object(ptr [[MADE]])
int left(size_t size) { return posix_memalign(&place, 64, size) + asprintf(&text, "%zu", size); }

// The program's own are not the C library's.
// CHECK-LABEL: define internal {{.*}}@own.suspect.trace(
// CHECK-NOT: @__suspect_object
// CHECK: ret ptr
void *own(size_t size) { return valloc((size_t)mine(size)); }
