/* How numbers are written. */
#define BASE 8
#define DIGIT(c) ((c) >= '0' && (c) < '0' + BASE)
