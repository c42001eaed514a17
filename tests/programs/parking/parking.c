/* The fee of a car park.
 *
 * usage: parking DAY VEHICLE ENTRY EXIT [OPTION...]
 *
 *   DAY      mon tue wed thu fri sat sun
 *   VEHICLE  car motorcycle van electric
 *   ENTRY    time of day as HH:MM
 *   EXIT     likewise; +N before it means N days later, as +1/07:30
 *   OPTION   holiday    the day of entry is one
 *            lost       the ticket is lost
 *            stamp=N    a shop pays for N minutes
 *            resident   has a permit
 *            member=N   number of stays in this month so far
 *
 * Fees are in cents. A half hour that has begun is paid as a whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTES_PER_DAY = 24 * 60, STEP = 30, GRACE = 10 };
enum day_kind { WORKDAY, SATURDAY, SUNDAY };
enum vehicle { CAR, MOTORCYCLE, VAN, ELECTRIC, VEHICLES };

struct stay {
    int day; /* 0 is Monday */
    int vehicle;
    int entry; /* minutes since midnight */
    int exit;  /* minutes since midnight of the day of entry */
    int holiday;
    int lost;
    int stamp;
    int resident;
    int member;
};

static const char *const day_names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
static const char *const vehicle_names[] = {"car", "motorcycle", "van", "electric"};

/* Cents for a step in the first two hours of a day's stay, and after that. */
static const int first_rates[VEHICLES] = {150, 60, 240, 130};
static const int later_rates[VEHICLES] = {110, 40, 190, 90};
static const int night_rates[VEHICLES] = {40, 20, 70, 40};
static const int caps[3][VEHICLES] = {{2400, 900, 3800, 2100}, {1800, 700, 3000, 1500}, {1000, 400, 1700, 800}};

static int find(const char *name, const char *const *names, int n)
{
    for (int at = 0; at < n; at++)
        if (strcmp(name, names[at]) == 0)
            return at;
    return -1;
}

/* Minutes since midnight, or -1. */
static int parse_time(const char *text)
{
    int days = 0, hours, minutes;
    char rest;
    if (text[0] == '+') {
        if (sscanf(text, "+%2d/%2d:%2d%c", &days, &hours, &minutes, &rest) != 3)
            return -1;
    } else if (sscanf(text, "%2d:%2d%c", &hours, &minutes, &rest) != 2) {
        return -1;
    }
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
        return -1;
    return days * MINUTES_PER_DAY + hours * 60 + minutes;
}

static int parse_option(const char *text, struct stay *stay)
{
    if (strcmp(text, "holiday") == 0)
        stay->holiday = 1;
    else if (strcmp(text, "lost") == 0)
        stay->lost = 1;
    else if (strcmp(text, "resident") == 0)
        stay->resident = 1;
    else if (strncmp(text, "stamp=", 6) == 0)
        stay->stamp = atoi(text + 6);
    else if (strncmp(text, "member=", 7) == 0)
        stay->member = atoi(text + 7);
    else
        return 0;
    return 1;
}

/* What kind of day the one is that comes so many days after the entry. */
static enum day_kind kind_of_day(const struct stay *stay, int later)
{
    int weekday = (stay->day + later) % 7;
    if (stay->holiday && later == 0)
        return SUNDAY;
    if (weekday == 6)
        return SUNDAY;
    return weekday == 5 ? SATURDAY : WORKDAY;
}

static int is_night(enum day_kind kind, int minute)
{
    int evening = kind == WORKDAY ? 20 * 60 : 22 * 60;
    int morning = kind == SUNDAY ? 8 * 60 : 6 * 60;
    return minute >= evening || minute < morning;
}

/* What a step costs that begins at a minute of the day, after so many steps by day. */
static int step_fee(enum day_kind kind, enum vehicle vehicle, int minute, int steps)
{
    int fee;
    if (is_night(kind, minute))
        return night_rates[vehicle];
    fee = steps < 4 ? first_rates[vehicle] : later_rates[vehicle];
    if (kind == SATURDAY)
        fee = fee * 4 / 5;
    if (kind == SUNDAY)
        fee /= 2;
    return fee;
}

/* The fee from one minute of a day to another. */
static int day_fee(enum day_kind kind, enum vehicle vehicle, int from, int to)
{
    int fee = 0, steps = 0;
    for (int minute = from; minute < to; minute += STEP) {
        fee += step_fee(kind, vehicle, minute, steps);
        if (!is_night(kind, minute))
            steps++;
    }
    if (fee > caps[kind][vehicle])
        fee = caps[kind][vehicle];
    return fee;
}

/* In before nine and out in the afternoon of the same working day: one price. */
static int early_bird_fee(const struct stay *stay, int fee)
{
    int early = stay->entry >= 6 * 60 && stay->entry < 9 * 60;
    int out = stay->exit >= 15 * 60 + 30 && stay->exit <= 19 * 60;
    if (kind_of_day(stay, 0) == WORKDAY && early && out && stay->vehicle != VAN) {
        int price = stay->vehicle == MOTORCYCLE ? 500 : 1300;
        if (price < fee)
            return price;
    }
    return fee;
}

static int percent_off(const struct stay *stay)
{
    int percent = 0;
    if (stay->member >= 20)
        percent = 15;
    else if (stay->member >= 10)
        percent = 10;
    else if (stay->member >= 4)
        percent = 5;
    if (stay->resident) {
        percent += 20;
        if (stay->vehicle == ELECTRIC)
            percent += 10;
    }
    return percent > 30 ? 30 : percent;
}

static int lost_ticket_fee(const struct stay *stay, int fee)
{
    int least = caps[kind_of_day(stay, 0)][stay->vehicle] + 1000;
    return fee < least ? least : fee + 1000;
}

static int total_fee(const struct stay *stay)
{
    int fee = 0, from = stay->entry, to = stay->exit;
    int days;
    if (to - from <= GRACE && !stay->lost)
        return 0;
    from += stay->stamp;
    if (from >= to && !stay->lost)
        return 0;
    days = (to - 1) / MINUTES_PER_DAY;
    for (int day = 0; day <= days; day++) {
        int midnight = day * MINUTES_PER_DAY;
        int begin = from > midnight ? from - midnight : 0;
        int end = day < days ? MINUTES_PER_DAY : to - midnight;
        fee += day_fee(kind_of_day(stay, day), stay->vehicle, begin, end);
    }
    if (days >= 6)
        fee -= fee / 4;
    fee = early_bird_fee(stay, fee);
    fee -= fee * percent_off(stay) / 100;
    if (stay->lost)
        fee = lost_ticket_fee(stay, fee);
    return (fee + 5) / 10 * 10;
}

int main(int argc, char **argv)
{
    struct stay stay = {0};
    int fee;
    if (argc < 5) {
        printf("usage: parking DAY VEHICLE ENTRY EXIT [OPTION...]\n");
        return 2;
    }
    stay.day = find(argv[1], day_names, 7);
    stay.vehicle = find(argv[2], vehicle_names, VEHICLES);
    stay.entry = parse_time(argv[3]);
    stay.exit = parse_time(argv[4]);
    if (stay.day < 0 || stay.vehicle < 0) {
        printf("unknown %s\n", stay.day < 0 ? "day" : "vehicle");
        return 1;
    }
    if (stay.entry < 0 || stay.entry >= MINUTES_PER_DAY || stay.exit < 0) {
        printf("no such time\n");
        return 1;
    }
    for (int at = 5; at < argc; at++) {
        if (!parse_option(argv[at], &stay)) {
            printf("unknown option %s\n", argv[at]);
            return 1;
        }
    }
    if (stay.exit < stay.entry || stay.stamp < 0) {
        printf("out before in\n");
        return 1;
    }
    fee = total_fee(&stay);
    printf("%d.%02d\n", fee / 100, fee % 100);
    return 0;
}
