/* Reads a customer's number, how many prices come, and the prices; writes a receipt. */
#include <stdio.h>

int main(void)
{
    int customer, n, i, price, sum = 0, discount = 0;

    if (scanf("%d%d", &customer, &n) != 2)
        return 9;
    printf("customer %d\n", customer); /* L1 */
    for (i = 0; i < n; i++) {
        if (scanf("%d", &price) != 1)
            return 9;
        sum += price;
    }
    if (sum > 0) { /* L2 */
        if (n > 3) /* L3 should be >= */
            discount = 2;
        printf("to pay %d\n", sum - discount); /* L4 */
        printf("for %d\n", n); /* L5 */
    }
    puts("thank you");
    return 0;
}
