/* What it costs to send parcels: by zone, with a surcharge for heavy ones (the fault: it begins at 10 kg) and a fifth off for many. */
#include <stdio.h>
#include <stdlib.h>

static int base(int zone)
{
    int cost = 4;
    if (zone == 2)
        cost = 7;
    if (zone >= 3)
        cost = 12;
    return cost;
}

static int surcharge(int kilos)
{
    if (kilos > 10)
        return 5;
    return 0;
}

static int total(int zone, int kilos, int parcels)
{
    int sum = 0;
    for (int i = 0; i < parcels; i++)
        sum += base(zone) + surcharge(kilos);
    if (parcels >= 5)
        sum -= sum / 5;
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int zone = atoi(argv[1]), kilos = atoi(argv[2]), parcels = atoi(argv[3]);
    printf("zone %d\n", zone);
    printf("cost %d\n", total(zone, kilos, parcels));
    return 0;
}
