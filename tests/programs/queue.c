/* Moves jobs to a higher queue, as its argument says, one letter each:
 * e: from an empty queue; k: a job that may not move; m: a job that moves; w: as m, and the answer is wrong; x: a job that is
 * not there, which crashes.
 */
#include <stdio.h>
#include <stdlib.h>

struct job {
    int movable;
    struct job *next;
};

static struct job *waiting;
static int moved, asked;

static struct job *nth(struct job *job, int position)
{
    while (job && position-- > 0)
        job = job->next;
    return job;
}

static void upgrade(int length, int position)
{
    if (length > 0) {                               /* b1 */
        struct job *job = nth(waiting, position);   /* b2 -- suspect: cause (no check that there is one) */
        if (job->movable)
            moved++;                                /* b3 */
    }
    asked++;                                        /* b4 */
}

int main(int argc, char **argv)
{
    struct job kept = {0, NULL}, mover = {1, &kept};
    int wrong = 0;
    waiting = &mover;
    for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) {
        switch (*p) {
        case 'e': upgrade(0, 0); break;
        case 'k': upgrade(2, 1); break;
        case 'm': upgrade(2, 0); break;
        case 'w': upgrade(2, 0); wrong = 1; break;
        case 'x': upgrade(2, 7); break;
        }
    }
    return wrong || asked < moved;
}
