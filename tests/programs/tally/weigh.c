#include "tally.h"

int weighted(int value, int place)
{
    unsigned char low = value;
    if (value == 7)
        return 70;
    return low - place + 17 * (place / 3);
}
