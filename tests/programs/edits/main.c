// Runs one of the files beside it on inputs of its own; prints one bit of a checksum of all that the file noted, or the whole checksum: where
// tests print single bits, two programs that fail the same tests print the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES(DO) DO(callees) DO(casts) DO(digraphs) DO(elvis) DO(exits) DO(flow) DO(kandr) DO(logic) DO(macros) DO(members) DO(names) DO(numbers) DO(passed) \
    DO(places) DO(pointers) DO(seconds) DO(siblings) DO(values) DO(latin) DO(lines) DO(terms)
#define DECLARE(name) void name##_run(void);
#define RUN(name) if (!strcmp(argv[1], #name)) name##_run();

FILES(DECLARE)

static unsigned long sum = 14695981039346656037ul;

void note(long value)
{
    sum = (sum ^ (unsigned long)value) * 1099511628211ul;
    sum ^= sum >> 29;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    FILES(RUN)
    if (argc > 2)
        printf("%lu\n", sum >> atoi(argv[2]) & 1);
    else
        printf("%lu\n", sum);
    return 0;
}
