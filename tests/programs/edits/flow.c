// Where control goes: labels, computed jumps, `switch` into a loop, commas, nested loops, recursion, conditions with effects.
void note(long value);

static int machine(const unsigned char *code, int a)
{
    static const void *const jumps[] = { &&stop, &&add, &&twice, &&less };
    int n = 0;
    goto *jumps[*code++ & 3];
add:
    a += *code++;
    n++;
    goto *jumps[*code++ & 3];
twice:
    a = a * 2 - n;
    if (n++ > 20)
        return n;
    goto *jumps[*code++ & 3];
less:
    if (a > 3)
        a -= 3;
    goto *jumps[*code++ & 3];
stop:
    return a + n;
}

static int device(int n)
{
    int sum = 0, left = (n + 3) / 4;
    if (n <= 0)
        return -1;
    switch (n % 4) {
    case 0: do { sum += 1;
    case 3:      sum += 2;
    case 2:      sum += 3;
    case 1:      sum += 4;
            } while (--left > 0);
    }
    return sum;
}

static int commas(int a, int b)
{
    int x, y;
    x = (a++, b += a, a * b);
    for (y = 0, x -= 1; y < 3; y++, x++)
        a = a - 1, b = b + y;
    if (a--, b > 2)
        x += 5;
    return x, y, a + b + x;
}

static int jumps(int n)
{
    int i = 0, j, sum = 0;
again:
    for (j = 0; j < n; j++) {
        if (j == 2)
            continue;
        if (sum > 30)
            goto out;
        sum += j + i;
        if (i > 3)
            break;
    }
    if (++i < 4)
        goto again;
out:
    return sum * 2 + i - j;
}

static int depth(int n)
{
    if (n < 2)
        return n;
    return depth(n - 1) + depth(n - 2) - 1;
}

static int conditions(int a, int b)
{
    int n = 0, c;
    if ((c = a - b) > 0)
        n = c;
    if ((c = a & b) && n++ < 3 || !c--)
        n += 2;
    while ((c += 2) < 6 && n < 40)
        n += c;
    if (!n)
        return c;
    if (a < b)
        n--;
    else if (a == b)
        n = n + 7;
    else {
        n++;
    }
    return n * c;
}

static int guards(int n)
{
    int k = n;
    if (k > 3)
        k -= 2;
    if (k < 0) { k++; n++; }
    for (int i = 0; i < 2; i++)
        if (k & 1)
            k >>= 1;
    return k + n;
}

void flow_run(void)
{
    static const unsigned char code[] = { 1, 7, 2, 3, 1, 4, 3, 2, 0, 0 };
    for (int n = -2; n < 9; n++) {
        note(machine(code, n));
        note(device(n));
        note(jumps(n));
        note(depth(n));
        note(guards(n));
        for (int b = -1; b < 4; b++) {
            note(commas(n, b));
            note(conditions(n, b));
        }
    }
}
