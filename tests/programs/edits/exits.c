// Guards that do more than return: they say what is wrong, go to a label, on with a loop or out of it, each where other guards may do the same.
void note(long value);

enum wrong { NOTHING, SHORT, LONG, EMPTY };

struct item {
    int size;
    int at;
    const char *name;
    struct item *next;
};

static enum wrong wrong;
static int open;

static int refused(enum wrong how)
{
    wrong = how;
    return -(int)how;
}

static int check(const struct item *one, const int *limits, int n)
{
    int sum = 0;
    open++;
    if (one->size > 40) {
        wrong = LONG;
        goto done;
    }
    if (one->at > 30)
        goto done;
    sum += limits[one->at & 3];
    for (int i = 0; i < n; i++) {
        int own = i * one->size;
        if (own == 6)
            continue;
        if (own == 12 || sum > 90) {
            sum++;
            break;
        }
        sum += own;
        if (own > 200) { wrong = SHORT; return refused(LONG); }
        note(limits[own & 7]);
    }
    switch (one->size) {
    case 1:
        if (n > 70) break;
        note(one->at);
        sum += 3;
        break;
    case 2:
        sum -= n;
    }
    note(sum);
done:
    open--;
    note(wrong);
    return sum ? sum : n;
}

static int walk(struct item *first)
{
    int n = 0;
    while (first) {
        struct item *next = first->next;
        if (first->size == 9) {
            /* two ways on */
            n += 2; first = next; continue;
        }
        if (first->at > 50) {
            n = refused(EMPTY);
            return n;
        }
        do {
            if (n > 60) break;
            n += first->size;
            note(*first->name);
        } while (n < 0);
        n -= next->at;
        first = next->next;
    }
    return n;
}

static void each(const int *all, int n, unsigned *out)
{
    if (n > 80) {
        *out = 1;
        return;
    }
    for (int i = 0; i < n; i++) {
        if (all[i] == 77) { *out = 7; continue; }
        unsigned less = *out - 1;
        *out += all[i] % 3;
        if (less > 5000)
            break;
        note(less);
    }
    note(*out);
}

void exits_run(void)
{
    static const int limits[8] = {3, 0, -4, 77, 1, 0, 2, 9};
    struct item items[6] = {{1, 0, "a", 0}, {2, 3, "", 0}, {3, -2, "b", 0}, {9, 1, "c", 0}, {0, 40, "d", 0}, {41, 2, "e", 0}};
    for (int i = 0; i < 6; i++) {
        note(check(&items[i], limits, i));
        note(open);
    }
    items[0].next = &items[1];
    items[1].next = &items[2];
    items[2].next = &items[3];
    note(walk(&items[0]));
    items[3].next = &items[4];
    items[4].next = &items[5];
    items[5].size = 9;
    note(walk(&items[2]));
    note(walk(&items[3]));
    unsigned out = 4;
    for (int i = 0; i < 8; i += 3)
        each(limits, i, &out);
    each(limits, 90, &out);
    note(out);
}
