/* The smallest program worth starting: measures what a start costs. */
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        puts("started");
    return 0;
}
