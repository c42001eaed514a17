; A C99 inline function has its external definition elsewhere: the plain version calls that (or inlines this), the
; others call their own copies.
; RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
; CHECK: define internal i32 @user.suspect.edges(
; CHECK: call i32 @twice.suspect.edges(
; CHECK: define internal i32 @twice.suspect.edges(
; CHECK: define internal i32 @user.suspect.plain(
; CHECK: call i32 @twice(
target triple = "x86_64-pc-linux-gnu"
define i32 @user(i32 %x) {
  %y = call i32 @twice(i32 %x)
  ret i32 %y
}
define available_externally i32 @twice(i32 %x) {
  %y = shl i32 %x, 1
  ret i32 %y
}
