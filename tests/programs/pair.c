/* Executes the statements that its argument names and fails if it ends in '!': any coverage matrix can be had from it. */
#include <stdio.h>

int main(int argc, char **argv)
{
    int sum = 0;
    for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) {
        if (*p == '1')
            sum += 1; /* u1 */
        if (*p == '2')
            sum += 2; /* u2 */
        if (*p == '3')
            sum += 3; /* u3 */
        if (*p == '4')
            sum += 4; /* u4 */
        if (p[0] == '!' && !p[1])
            return 1;
    }
    return sum < 0;
}
