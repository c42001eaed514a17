/* What configure finds out. */
#define DC_VERSION "1.4.1"
#define DC_COPYRIGHT ""
#define VERSION "1.07.1"
#define PACKAGE "dc"
#define HAVE_ERRNO_H 1
#define HAVE_LIMITS_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDDEF_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_STRTOL 1
#define HAVE_UNISTD_H 1
#define HAVE_VPRINTF 1
#define STDC_HEADERS 1
