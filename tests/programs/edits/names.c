// Names and texts beyond ASCII, generic selections, own initial values, shadowed names.
void note(long value);

static int größe = 2, naïve = 5, $dollar = 1;

#define KIND(x) _Generic((x), int: 1, long: 2, double: 3, default: 4)

static int umlaut(int länge, int breite)
{
    int fläche = länge * breite; // größer als null?
    const char *text = "äöü"; int ü = fläche - größe;
    if (fläche > größe && ü != naïve)
        fläche -= $dollar;
    return fläche + ü * 2 + (text[1] & 7) + naïve;
}

static long kinds(int a, long b)
{
    long x = KIND(a) + KIND(b) * 2;
    x += _Generic(a + b, long: a, int: b) + 1;
    return x + _Generic(a, int: a * 2, default: 0) - KIND(1.0);
}

static int own(int a, int b)
{
    int c = a + 1, d =
        a - c,
        e = b
            * a;
    static int kept = 3;
    kept += c;
    {
        int a = b;
        int b =
            a * 2;
        c += a - b;
    }
    for (int a = 0; a < b; a++)
        c += a;
    return c + d - e + kept;
}

static int same(int first, int second)
{
    int third = first, fourth = second;
    third = first > second ? first : second;
    if (third == fourth)
        fourth = first;
    return third * 3 + fourth;
}

void names_run(void)
{
    for (int a = -2; a < 5; a++)
        for (int b = -1; b < 4; b++) {
            note(umlaut(a, b));
            note(kinds(a, b));
            note(own(a, b));
            note(same(a, b));
        }
}
