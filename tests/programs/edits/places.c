// What is assigned and where: elements, members, compound literals, pointers, arrays of variable length, strings.
void note(long value);

struct pair { int x, y; };
struct node { struct pair at; int v[4]; struct node *next; };

static int board[3][4];
static int first[5];
static struct node nodes[3];

static int elements(int n)
{
    int a[6] = { 1, 2, 3 }, *p = a, i = n & 3, j = 1;
    a[0] = n;
    a[i + 1] += a[i];
    a[j] = a[i] - a[j + 1];
    p[2]++;
    *(p + 3) = p[i] * 2;
    i[p] = 4 + i;
    p += 2;
    return *p + p[1] + p[-1] + a[0] - *(a + j) + (p - a);
}

static int matrix(int n)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            board[i][j] = i * n + j;
    board[0][0] = n + 1;
    board[1][2] -= board[2][1];
    for (int i = 0; i < 2; i++)
        sum += board[i][i + 1] * board[i + 1][i];
    first[0] = sum;
    first[2] = first[0] - first[1];
    first[1] = n;
    return sum + first[2] + *first;
}

static int members(int n)
{
    struct node *at = &nodes[1];
    nodes[0].next = at;
    at->at.x = n * 2;
    at->v[1] = at->at.x + 1;
    at->v[n & 3] += 5;
    nodes[0].v[0] = at->v[1];
    nodes[0].next->at.y = n - 3;
    nodes[0].at = at->at;
    return nodes[0].at.x - nodes[0].at.y * 2 + nodes[0].next->v[1] + nodes[0].v[0];
}

static int literals(int n)
{
    struct pair p = (struct pair){ n, n + 1 };
    int *q = (int[]){ n, 2, n * 2 };
    p.x = ((struct pair){ .y = n + 2, .x = 3 }).y;
    q[1] = (int){ n - 1 } + q[2];
    return p.x + p.y * 2 + q[0] - q[1] + ((struct pair){ 1, n }).y;
}

static int varied(int n)
{
    int v[n + 2], w[2][n + 1];
    for (int i = 0; i < n + 2; i++)
        v[i] = i * i - n;
    for (int i = 0; i <= n; i++)
        w[0][i] = v[i], w[1][i] = v[i + 1];
    return v[n] + w[1][n] - w[0][0] + sizeof v / sizeof *v;
}

static int words(const char *s)
{
    int n = 0, in = 0;
    for (; *s; s++)
        if (*s == ' ' || *s == '\t')
            in = 0;
        else if (!in)
            in = 1, n++;
    const char *t = "abc" + 1;
    return n * 3 + t[0] + "xyz"[n % 3];
}

static int far(int n)
{
    int a = n, b = 2, c = 3, *p = &a, **q = &p;
    *p += b;
    p = n > 1 ? &b : &c;
    **q = **q * 2 + 1;
    return a + b * 10 + c * 100;
}

void places_run(void)
{
    for (int n = 0; n < 7; n++) {
        note(elements(n));
        note(matrix(n));
        note(members(n));
        note(literals(n));
        note(varied(n));
        note(far(n));
    }
    note(words("one two\tthree"));
    note(words(""));
    note(words("  x "));
}
