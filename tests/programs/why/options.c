/* Reads options after a first argument, which is another one in some runs and matters to nothing that is written. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int outfile, strip, noise;

static void options(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "o:p:")) != -1) {
        if (c == 'o')
            outfile = 1;
        else
            strip = atoi(optarg);
    }
}

int main(int argc, char **argv)
{
    int odd = argv[1][0] == '1';
    int left;

    options(argc - 1, argv + 1);
    if (odd)
        noise++;
    left = 3 - strip;
    if (outfile)
        left = 0;
    printf("%d\n", left);
    return 0;
}
