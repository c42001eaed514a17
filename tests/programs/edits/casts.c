// Names in parentheses before signs: values, types, macros; and text without blanks.
typedef unsigned int word;
typedef signed char tiny;
#define LIMIT 4
#define BASE (3)
#define TYPE long
enum { ONE = 1, TWO };

void note(long value);

static int scale = 3;

static int sums(int a,int c)
{
    int x=(a)+(2)*(c);
    x=x-(a)-1;
    x+=(LIMIT)-(c)*(BASE);
    x+=(ONE)+(2)*(c);
    return(scale)*(x)-(TWO)*(a);
}

static long converted(int a, int b)
{
    long x = (word)-a + b;
    x += (tiny)+(a)*(b);
    x ^= (TYPE)-a * b;
    x += (word)(a) * 2 + (tiny)(b);
    x -= (long)(a)-(b);
    return x + -(tiny)a;
}

static int glued(int a)
{
    if(a>90)return-1;
    if(a>3)return-a;
    if(a==2)return!a;
    switch(a){case-1:return-2;case 1:return'x';case 0:return(3);}
    return~a;
}

static int signs(int a, int b)
{
    int x = a- -b;
    x += a-(-b)+ +3;
    x = x+a*-b;
    x += - -a;
    x-=-1;
    return x/-2 + (a)- -b*2;
}

static int sizes(int a)
{
    int x = sizeof a + 1;
    x += sizeof(int) - (a);
    x += (int)sizeof(word)*a;
    return x;
}

static int ends(int a)
{
    int x=a==0xE?a+0xE:a+0xe;
    return x+0x1F+a-1e1;
}

void casts_run(void)
{
    for (int a = -4; a < 8; a++) {
        note(glued(a));
        note(sizes(a));
        note(ends(a));
        for (int b = -3; b < 4; b++) {
            note(sums(a, b));
            note(converted(a, b));
            note(signs(a, b));
        }
    }
    note(ends(14));
    note(glued(91));
}
