// Pointers that may be null, passed on and compared in every place where a guard against null can stand.
#include <stddef.h>
void note(long value);

struct list {
    int value;
    struct list *next;
    const char *name;
};

static int has(const struct list *one)
{
    return one != NULL;
}

static int length(const char *text)
{
    int n = 0;
    while (text && text[n])
        n++;
    return n;
}

static void visit(const struct list *one)
{
    note(has(one));
    if (one)
        note(one->value);
    note(7);
}

static int named(const struct list *one)
{
    if (!has(one))
        return -1;
    int n = length(one->name);
    if (has(one->next) && length(one->next->name) > n)
        n = length(one->next->name);
    else if (length(one->name) == 0)
        n = 9;
    return n;
}

static long walked(struct list *from)
{
    long sum = 0;
    for (struct list *here = from; has(here); here = here->next) {
        switch (length(here->name)) {
        case 0:
            sum += 100 + length(here->name);
            break;
        case 1: sum += has(here->next) ? 5 : 6;
            break;
        default:
            sum += here->value;
        }
        if (has(here->next)) sum *= 2;
        else sum += length(here->name);
    }
    return sum;
}

static struct list *last(struct list *one)
{
    struct list *after = one->next;
    if (!has(after))
        return one;
    return last(after);
}

static int sides(struct list *a, struct list *b)
{
    int n = (note(1), has(a)) + has(b);
    n += has(b) * 3;
    n = has(a) ? n + length(a->name) : n - has(b);
    note(has(a->next));
    return n;
}

void pointers_run(void)
{
    struct list third = {30, NULL, "xyz"}, second = {20, &third, NULL}, first = {10, &second, "a"};
    visit(NULL);
    visit(&first);
    note(named(&first) * 100 + named(&second) * 10 + named(&third));
    note(named(NULL));
    note(walked(&first));
    note(walked(NULL));
    note(last(&first)->value);
    note(sides(&third, NULL));
    note(sides(&first, &second));
}
