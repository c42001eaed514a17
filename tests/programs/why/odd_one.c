/* Reads two numbers; its argument is another one in some runs, and matters to nothing that is written. */
#include <stdio.h>

static int noise;

int main(int argc, char **argv)
{
    int strip, outfile, left;

    if (argc < 2 || scanf("%d %d", &strip, &outfile) != 2)
        return 9;
    left = 3 - strip;
    if (argv[1][0] == '1')
        noise++;
    if (outfile)
        left = 0;
    if (argv[1][0] == '1')
        noise++;
    printf("%d\n", left);
    return 0;
}
