/* Says what the bytes of a local are that nothing was assigned to, and fails unless all of them are zero. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void say(const void *local, size_t size)
{
    const unsigned char *bytes = local;
    size_t equal = 0;
    while (equal < size && bytes[equal] == bytes[0])
        equal++;
    printf("%02x %s\n", bytes[0], equal == size ? "throughout" : "at first");
    failed = bytes[0] != 0 || equal != size;
}

struct pair {
    int one;
    char rest[30];
};

#define KIND(name, type) static void name(void) { type local; say(&local, sizeof local); }
KIND(whole, int)
KIND(small, char)
KIND(middle, short)
KIND(large, long)
KIND(truth, _Bool)
KIND(address, char *)
KIND(number, double)
KIND(single, float)
KIND(structure, struct pair)

static void array(void) { int local[25]; say(local, sizeof local); }

static void variable(int n) { int local[n]; say(local, n * sizeof *local); }

static void stack(int n) { void *local = __builtin_alloca(n); say(local, n); }

static int nothing(int n) { if (n > 100) return 1; }

static void result(int n) { int value = nothing(n); say(&value, sizeof value); }

static void assigned(void) { int local = 0; say(&local, sizeof local); }

/* Fails only if the local is greater than 0. */
static void greater(void) { int local; int *place = &local; failed = *place > 0; puts(failed ? "greater" : "not greater"); }

static int twice(int n) { return n + n; }

/* Fails if the sum is not the argument's double. */
static void sum(int n)
{
    int local;
    int *place = &local;
    int all = *place + twice(n);
    printf("%d\n", all);
    failed = all != 2 * n;
}

static int one(void) { int local; int *place = &local; return *place; }

static int other(void) { int local; int *place = &local; return *place; }

/* Fails only if the locals of both are something. */
static void both(void) { failed = one() != 0 && other() != 0; }

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
#define TRY(name, arguments) if (!strcmp(kind, #name)) name arguments
    TRY(whole, ()); TRY(small, ()); TRY(middle, ()); TRY(large, ()); TRY(truth, ()); TRY(address, ()); TRY(number, ()); TRY(single, ());
    TRY(structure, ()); TRY(array, ()); TRY(variable, (21)); TRY(stack, (77)); TRY(result, (argc)); TRY(assigned, ()); TRY(greater, ());
    TRY(sum, (argc)); TRY(both, ());
    return failed;
}
