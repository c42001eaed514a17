/* Prints the largest of three numbers, wrongly. Each of the four branches is one statement of Doric's example. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int one = atoi(argv[1]), two = atoi(argv[2]), three = atoi(argv[3]);
    int least = one, most = one;
    if (most < two)
        most = two; /* u1 */
    if (most < three)
        most = three; /* u2 */
    if (least > two)
        most = two; /* u3 -- suspect: cause (least = two) */
    if (least > three)
        least = three; /* u4 */
    printf("%d\n", most);
    return argc == 4 ? 0 : 2;
}
