// Strings as Rust takes them.
#pragma once
#include "llvm/ADT/StringRef.h"

// The bytes of `string`, which are not ended by a zero; `length` is their number.
inline const char *text(llvm::StringRef string, size_t *length) {
  *length = string.size();
  return string.data();
}
