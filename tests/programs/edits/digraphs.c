// Other spellings of brackets, braces and new lines.
void note(long value);

static int table<:4:> = <% 3, 1, 4, 1 %>;

static int strange(int a, int b)
<%
    int x = a + table<:b & 3:>;
    if (x > 4 || a == b)
    <%
        x -= 2;
        table<:0:> = a;
    %>
    x = x * \
2 - b;
    return x + table[1];
%>

static int spl\
it(int a)
{
    int val\
ue = a + 1;
    value +\
= 2;
    return value;
}

static int after(int a, int b)
{
    int x = a - b; /* a comment */ x += /* in */ 3 /* between */ * b;
    x = a // to the end \
        + 9
        + b + x;
    return x;
}

void digraphs_run(void)
{
    for (int a = -2; a < 5; a++) {
        note(split(a));
        for (int b = 0; b < 4; b++) {
            note(strange(a, b));
            note(after(a, b));
        }
    }
}
