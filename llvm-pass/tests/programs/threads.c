// Threads: counters race, the program must not notice. Thread-local variables, pthread_exit out of a nested call, once.
#include <pthread.h>
#include <stdio.h>
static _Thread_local int mine; static int total; static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; static pthread_once_t once = PTHREAD_ONCE_INIT; static int inits;
static void init(void) { inits++; }
static void leave(long v) { if (v % 2) pthread_exit((void *)(v * 10)); }
static void *work(void *arg) { pthread_once(&once, init); for (int i = 0; i < 20000; i++) { mine += i % 7 == 3 ? 2 : 1; } pthread_mutex_lock(&mutex); total += mine; pthread_mutex_unlock(&mutex); leave((long)arg); return arg; }
int main() { pthread_t t[6]; long sum = 0; for (long i = 0; i < 6; i++) pthread_create(&t[i], 0, work, (void *)i); for (int i = 0; i < 6; i++) { void *r; pthread_join(t[i], &r); sum += (long)r; } printf("%d %ld %d\n", total, sum, inits); return 0; }
