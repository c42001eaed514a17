/* A machine that shares its time among jobs of three priorities.
 *
 * Reads commands from standard input, one on each line:
 *
 *   new LEVEL WORK    a job of priority 0 (low) to 2 (high) that needs so many ticks arrives
 *   raise ID LEVEL    a waiting or blocked job becomes one of a higher priority
 *   block             the running job waits for an event
 *   unblock RATIO     the blocked job at this share (0 to 1) of the blocked ones goes on
 *   expire            the running job has used its quantum
 *   finish            the running job ends before its work is done
 *   run TICKS         time passes
 *   flush             all jobs that are left run to their end
 *
 * The job of the highest priority that came first runs. A job that used two quanta in a row comes down by a priority; one that
 * waited for PATIENCE ticks goes up by one. A line tells of each job that ends: its number, when it ended, how long it waited.
 */
#include <stdio.h>
#include <string.h>

enum { LEVELS = 3, MOST_JOBS = 64, PATIENCE = 12, NONE = -1 };

enum state { READY, RUNNING, BLOCKED, ENDED };

struct job {
    enum state state;
    int level;
    int left;    /* ticks of work */
    int quanta;  /* used in a row */
    int arrived; /* when */
    int waited;  /* ticks in all */
    int patience;
    int next; /* in its queue */
};

struct queue {
    int head, tail, length;
};

static struct job jobs[MOST_JOBS];
static struct queue ready[LEVELS], blocked;
static int n_jobs, running = NONE, now, total_waited, n_ended;

static void append(struct queue *queue, int id)
{
    jobs[id].next = NONE;
    if (queue->length == 0)
        queue->head = id;
    else
        jobs[queue->tail].next = id;
    queue->tail = id;
    queue->length++;
}

/* Takes out the element at a position; NONE if there is no such. */
static int take(struct queue *queue, int position)
{
    int before = NONE, id = queue->head;
    if (position < 0 || position >= queue->length)
        return NONE;
    while (position > 0) {
        before = id;
        id = jobs[id].next;
        position--;
    }
    if (before == NONE)
        queue->head = jobs[id].next;
    else
        jobs[before].next = jobs[id].next;
    if (queue->tail == id)
        queue->tail = before;
    queue->length--;
    return id;
}

static int position_of(const struct queue *queue, int id)
{
    int position = 0;
    for (int at = queue->head; position < queue->length; at = jobs[at].next) {
        if (at == id)
            return position;
        position++;
    }
    return NONE;
}

static void make_ready(int id)
{
    jobs[id].state = READY;
    jobs[id].patience = PATIENCE;
    append(&ready[jobs[id].level], id);
}

/* Lets the best job run, and puts back one that is not the best any more. */
static void dispatch(void)
{
    int level = LEVELS - 1;
    while (level >= 0 && ready[level].length == 0)
        level--;
    if (level < 0)
        return;
    if (running != NONE) {
        if (jobs[running].level >= level)
            return;
        make_ready(running);
    }
    running = take(&ready[level], 0);
    jobs[running].state = RUNNING;
}

static void end_job(int id)
{
    int stayed = now - jobs[id].arrived;
    jobs[id].state = ENDED;
    total_waited += jobs[id].waited;
    n_ended++;
    printf("%d ends at %d after %d waited %d\n", id, now, stayed, jobs[id].waited);
    if (jobs[id].left > 0)
        printf("%d lacks %d\n", id, jobs[id].left);
    running = NONE;
}

/* Jobs that wait grow old; those that are old enough move up. */
static void age(int ticks)
{
    for (int level = 0; level < LEVELS; level++) {
        int position = 0;
        int id = ready[level].head;
        while (position < ready[level].length) {
            int next = jobs[id].next;
            jobs[id].waited += ticks;
            jobs[id].patience -= ticks;
            if (jobs[id].patience <= 0 && level + 1 < LEVELS) {
                take(&ready[level], position);
                /* Jobs of the next level have not been looked at: this one is not to age twice. */
                jobs[id].waited -= ticks;
                jobs[id].level = level + 1;
                make_ready(id);
                jobs[id].patience += ticks;
            } else {
                position++;
            }
            id = next;
        }
    }
}

/* Lets time pass until it is up or the running job has done its work; tells how much passed. */
static int work(int ticks)
{
    int passed = ticks;
    if (running != NONE && jobs[running].left < passed)
        passed = jobs[running].left;
    now += passed;
    age(passed);
    if (running != NONE) {
        jobs[running].left -= passed;
        if (jobs[running].left == 0)
            end_job(running);
    }
    dispatch();
    return passed;
}

static void run(int ticks)
{
    while (ticks > 0)
        ticks -= work(ticks);
}

static int new_job(int level, int left)
{
    struct job *job;
    if (n_jobs == MOST_JOBS || level < 0 || level >= LEVELS || left <= 0)
        return 0;
    job = &jobs[n_jobs];
    job->level = level;
    job->left = left;
    job->arrived = now;
    make_ready(n_jobs);
    n_jobs++;
    return 1;
}

static int raise_job(int id, int level)
{
    struct job *job;
    if (id < 0 || id >= n_jobs || level >= LEVELS)
        return 0;
    job = &jobs[id];
    if (level <= job->level)
        return 0;
    if (job->state == READY) {
        take(&ready[job->level], position_of(&ready[job->level], id));
        job->level = level;
        make_ready(id);
    } else if (job->state == BLOCKED) {
        job->level = level;
    } else {
        return 0;
    }
    return 1;
}

static int block(void)
{
    if (running == NONE)
        return 0;
    jobs[running].state = BLOCKED;
    jobs[running].quanta = 0;
    append(&blocked, running);
    running = NONE;
    return 1;
}

static int unblock(double ratio)
{
    int position = (int)(ratio * blocked.length);
    int id;
    if (ratio >= 1.0)
        position = blocked.length - 1;
    id = take(&blocked, position);
    if (id == NONE)
        return 0;
    make_ready(id);
    return 1;
}

static int expire(void)
{
    struct job *job;
    if (running == NONE)
        return 0;
    job = &jobs[running];
    job->quanta++;
    if (job->quanta >= 2 && job->level > 0) {
        job->level--;
        job->quanta = 0;
    }
    make_ready(running);
    running = NONE;
    return 1;
}

static int finish(void)
{
    if (running == NONE)
        return 0;
    end_job(running);
    return 1;
}

static int flush(void)
{
    while (blocked.length > 0)
        unblock(0.0);
    dispatch();
    while (running != NONE)
        work(jobs[running].left);
    return 1;
}

/* Carries out a command; tells whether it was a possible one. */
static int obey(const char *line)
{
    int a, b;
    double ratio;
    if (sscanf(line, "new %d %d", &a, &b) == 2)
        return new_job(a, b);
    if (sscanf(line, "raise %d %d", &a, &b) == 2)
        return raise_job(a, b);
    if (sscanf(line, "unblock %lf", &ratio) == 1)
        return unblock(ratio);
    if (sscanf(line, "run %d", &a) == 1) {
        run(a);
        return a > 0;
    }
    if (strcmp(line, "block\n") == 0)
        return block();
    if (strcmp(line, "expire\n") == 0)
        return expire();
    if (strcmp(line, "finish\n") == 0)
        return finish();
    if (strcmp(line, "flush\n") == 0)
        return flush();
    return 0;
}

int main(void)
{
    char line[80];
    int refused = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (obey(line))
            dispatch();
        else
            refused++;
    }
    for (int id = 0; id < n_jobs; id++)
        if (jobs[id].state != ENDED)
            printf("%d is left with %d at level %d\n", id, jobs[id].left, jobs[id].level);
    if (n_ended > 0)
        printf("mean wait %d.%02d\n", total_waited / n_ended, total_waited % n_ended * 100 / n_ended);
    if (refused > 0)
        printf("%d refused\n", refused);
    return 0;
}
