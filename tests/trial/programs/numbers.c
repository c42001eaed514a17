/* Floating point, recursion whose depth a mutant can choose, structures, tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct point {
    double x, y;
};

static int calls;

static long ackermann(long m, long n) {
    calls++;
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static double polygon(const struct point *points, int n) {
    double area = 0;
    for (int i = 0; i < n; i++) {
        int next = (i + 1) % n;
        area += points[i].x * points[next].y - points[next].x * points[i].y;
    }
    return area / 2;
}

static int depth(int n) {
    volatile char frame[200];
    frame[0] = (char)n;
    if (n <= 0) return frame[0];
    return 1 + depth(n - 1);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 5;
    struct point points[8] = {{0, 0}};
    for (int i = 0; i < n && i < 8; i++) {
        double angle = i * 0.7853981633974483;
        points[i].x = cos(angle);
        points[i].y = sin(angle);
    }
    float scale = 2.5f;
    double area = polygon(points, n);
    long value = ackermann(2, n);
    printf("%.3f %ld %d %d\n", area * scale, value, calls, depth(n * 10));
    return value == 13 ? 0 : 3;
}
