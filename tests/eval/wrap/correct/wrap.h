/* Sizes. */
#define WIDTH 16
#define LONGEST 12
