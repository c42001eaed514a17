; IR that another front end could make is handled or left alone: an unreachable block, a function without any terminator
; but `unreachable`, a switch on 128 bits, an invoke.
; RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
; RUN: %clang -O1 -c %s -o %t.o; %readelf -p .suspect %t.o | %FileCheck --check-prefix=TABLE %s
; TABLE: it has clean-ups for exceptions
; CHECK: define internal void @lost.suspect.edges
target triple = "x86_64-pc-linux-gnu"
define i32 @dead(i32 %x) {
  ret i32 %x
nowhere:
  br label %nowhere
}
define void @lost() {
  unreachable
}
define i32 @wide(i128 %x) {
  switch i128 %x, label %other [ i128 18446744073709551616, label %one ]
one:
  ret i32 1
other:
  ret i32 2
}
declare i32 @__gxx_personality_v0(...)
declare void @g()
define void @unwinds() personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %fine unwind label %bad
fine:
  ret void
bad:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
