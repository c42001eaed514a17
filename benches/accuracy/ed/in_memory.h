/* The editor's temporary file in memory: code mutants may not write outside of their directories. */
#include <stdio.h>
#include <sys/mman.h>
#define tmpfile() fdopen(memfd_create("buffer", 0), "w+")
