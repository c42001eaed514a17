/* Reads k and two values. One run allocates more, so nothing lies where it lies in the other. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    int k, a, b, r;

    if (scanf("%d %d %d", &k, &a, &b) != 3) return 9; /* L1 */
    if (k) { /* L2 */
        void *more = malloc(1000);
        (void)more;
    }
    struct node *x = malloc(sizeof *x), *y = malloc(sizeof *y); /* L3 */
    if (!x || !y) return 8;
    x->value = a;
    x->next = y;
    y->value = b;
    y->next = x;
    struct node *p = k ? x->next : x; /* L4 */
    r = p->value; /* L5 */
    printf("%d\n", r); /* L6 */
    return 0;
}
