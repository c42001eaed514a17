// Members named in the place of others: read, written, counted, passed on, their addresses taken; behind pointers, in variables, elements, structures inside
// others; of all kinds of numbers and addresses; beside bit-fields, arrays, unions and members of other types.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void note(long value);

struct node { int value; struct node *left; int weight; struct node *right, *parent; const char *name; char *own; };
typedef struct { unsigned char low, high; short top; unsigned a : 3, b : 5; short bottom; } packed;
struct box { packed in; long wide; packed out; size_t count; unsigned long limit; bool open, locked; enum { OFF, ON = 3 } state, before; };
struct reals { double x, y; float u, v; long double big, bigger; };
union both { struct { int first, second; } pair; int numbers[2]; };
struct calls { int (*one)(int); int (*two)(int); int n, m; };

static int twice(int n) { return 2 * n; }
static int squared(int n) { return n * n; }
static void put(int *to, int value) { *to = value; }
static packed filled(int n) { packed p = { n, n * 3, n - 40, n & 7, n & 31, n * 9 }; return p; }

static long trees(int a, int b)
{
    char text[] = "pqrs";
    struct node nodes[3] = { { a, &nodes[1], b, &nodes[2], NULL, "left", text }, { b, NULL, a + 1, NULL, &nodes[0], "right", text + 1 },
        { a * b, NULL, 5, NULL, &nodes[0], "both", text + 2 } };
    struct node *root = nodes, *at = root->left;
    long total = root->value * 31 + at->weight;
    at->value += 3;
    root->right->weight = at->value;
    at->parent->value++;
    at = at->parent->right;
    total += at->value * 7 + at->name[1] + *at->own;
    put(&at->weight, root->weight - a);
    put(&nodes[1].value, at->weight);
    root->left = root->right;
    if (root->left && !root->left->left)
        total += nodes[a & 1].weight;
    for (at = &nodes[2]; at; at = at->parent)
        total = total * 3 + at->value - at->weight;
    return total;
}

static long boxes(int a, int b)
{
    struct box box, *p = &box;
    memset(&box, 0, sizeof box);
    p->in = filled(a);
    box.out = filled(b);
    p->in.low += p->in.high;
    p->out.top = box.in.bottom - 7;
    box.out.b = p->in.a;
    p->wide = p->in.top * 3L;
    p->count = (size_t)a + 5;
    p->limit = p->count * 2;
    p->open = a > b;
    box.locked = !p->open;
    p->state = p->open ? ON : OFF;
    p->before = box.state;
    if (p->locked || box.before)
        p->limit -= p->count;
    return p->in.low * 3 + p->in.high * 5 + p->out.top + p->out.bottom + p->wide + (long)p->limit * 7 + p->state + box.out.b + p->locked;
}

static long others(int a, int b)
{
    struct reals r = { a, b, a / 2.f, b / 4.f, a, b }, *q = &r;
    union both u;
    struct calls c = { twice, squared, a, b }, *d = &c;
    q->x += q->y * 2;
    r.v -= q->u;
    r.big = q->bigger + 1;
    u.pair.first = a;
    u.pair.second = b;
    u.pair.first ^= 5;
    struct { int k, m; } fresh = { d->n, c.m }, array[2] = { fresh, { a, 4 } };
    array[fresh.k & 1].m -= fresh.m;
    return (long)(r.x * 4) + (long)(r.y * 4) + (long)(q->v * 16) + (long)q->big + u.numbers[0] * 3 + u.numbers[1] + d->one(c.n) + c.two(d->m)
        + array[1].k + array[0].m;
}

void members_run(void)
{
    for (int a = -2; a < 5; a++)
        for (int b = 0; b < 3; b++) {
            note(trees(a, b));
            note(boxes(a, b));
            note(others(a, b));
        }
}
