; An inline function that other units may have, too: while code waits that calls it nobody may do away with it, nor take its definition for the
; program's, and in the end it is one of several again.
; RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
; RUN: %clang -O2 -S -emit-llvm -mllvm -print-before=globalopt -mllvm -print-module-scope -mllvm -filter-print-funcs=* %s -o /dev/null 2>&1 | %FileCheck --check-prefix=SEEN %s
target triple = "x86_64-pc-linux-gnu"

; SEEN-DAG: declare {{.*}}@user.suspect.trace(
define i32 @user(i32 %x) {
  %y = call i32 @shared(i32 %x)
  %z = call i32 @replaced(i32 %y)
  ret i32 %z
}

; SEEN-DAG: define weak_odr i32 @shared(
; CHECK-DAG: define linkonce_odr i32 @shared(
define linkonce_odr i32 @shared(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}

; SEEN-DAG: define weak i32 @replaced(
; CHECK-DAG: define linkonce i32 @replaced(
define linkonce i32 @replaced(i32 %x) {
  %y = mul i32 %x, 5
  ret i32 %y
}
