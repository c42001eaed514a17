#include "calc.h"

int add(int one, int other)
{
    return one + other;
}

int times(int factor, int count)
{
    int product = 0;
    for (int i = 0; i <= count; i++) /* the fault: one time too many */
        product += factor;
    return product;
}
