/* Stand-ins for unit-test frameworks: they have the names of the real ones, print what those print, and obey the same options and variables. Which
   one it is a macro says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework.h"

#if defined CHECK || defined CMOCKA
static int is_set(const char *name, const char *value)
{
    const char *set = getenv(name);
    return set && !strcmp(set, value);
}
#endif

#ifdef UNITY
static const char *file_name;
static int ran, failed;

void UnityBegin(const char *file)
{
    file_name = file;
}

void UnityDefaultTestRun(Function function, const char *name, int line)
{
    int got = function();
    ran++;
    failed += got != 0;
    if (got)
        printf("%s:%d:%s:FAIL: Expected 6 Was %d\n", file_name, line, name, got);
    else
        printf("%s:%d:%s:PASS\n", file_name, line, name);
}

int UnityEnd(void)
{
    printf("\n-----------------------\n%d Tests %d Failures 0 Ignored \n%s\n", ran, failed, failed ? "FAIL" : "OK");
    return failed;
}
#endif

#ifdef CHECK
static struct Case added[8];
static int count;

void _tcase_add_test(void *tcase, const struct Case *test, int signal, int status, int from, int to)
{
    if (!getenv("CK_RUN_CASE") || !strcmp(getenv("CK_RUN_CASE"), tcase))
        added[count++] = *test;
}

int srunner_run_all(void)
{
    int xml = is_set("CK_XML_LOG_FILE_NAME", "-"), tap = is_set("CK_TAP_LOG_FILE_NAME", "-"), failed = 0;
    printf("Running suite(s): calc\n");
    if (xml)
        printf("<?xml version=\"1.0\"?>\n<testsuites>\n  <suite>\n    <title>calc</title>\n");
    for (int i = 0; i < count; i++) {
        int got = added[i].run();
        failed += got != 0;
        if (xml)
            printf("      <id>%s</id>\n      <description>core</description>\n", added[i].name);
        if (tap)
            printf("%s %d - t.c:core:%s: %s\n", got ? "not ok" : "ok", i + 1, added[i].name, got ? "Assertion" : "Passed");
        if (got)
            printf("t.c:7:F:core:%s:0: Assertion 'times(2, 3) == 6' failed: times(2, 3) == %d, 6 == 6\n", added[i].name, got);
    }
    if (xml)
        printf("  </suite>\n</testsuites>\n");
    printf("%d%%: Checks: %d, Failures: %d, Errors: 0\n", count ? 100 * (count - failed) / count : 100, count, failed);
    return failed;
}
#endif

#ifdef CMOCKA
static const char *filter;

void cmocka_set_test_filter(const char *pattern)
{
    filter = pattern;
}

void _assert_int_equal(int one, int other)
{
}

int _cmocka_run_group_tests(const char *group, const struct Case *tests, unsigned long count)
{
    FILE *errors = is_set("CMOCKA_MESSAGE_OUTPUT", "STDOUT") ? stdout : stderr;
    int ran = 0, failed = 0;
    for (unsigned long i = 0; i < count; i++) {
        if (filter && strcmp(filter, tests[i].name))
            continue;
        printf("[ RUN      ] %s\n", tests[i].name);
        int got = tests[i].run();
        ran++;
        failed += got != 0;
        if (got)
            fprintf(errors, "[  ERROR   ] --- %#x != 0x6\n[   LINE   ] --- t.c:7: error: Failure!\n", (unsigned)got);
        printf(got ? "[  FAILED  ] %s\n" : "[       OK ] %s\n", tests[i].name);
    }
    printf("[==========] %d test(s) run.\n", ran);
    return failed;
}
#endif

#ifdef GLIB
int g_test_run;

int run_with_options(int argc, char **argv, const struct Case *tests, int count)
{
    printf("# random seed: R02S3e0d\n");
    for (int i = 0; i < count; i++) {
        char path[80];
        snprintf(path, sizeof path, "/calc/%s", tests[i].name);
        if (argc > 1 && !strcmp(argv[1], "-l")) {
            printf("%s\n", path);
        } else if (argc < 3 || !strcmp(argv[2], path)) {
            int got = tests[i].run();
            if (got) {
                printf("ERROR:t.c:7:%s: assertion failed (times(2, 3) == 6): (%d == 6)\n", tests[i].name, got);
                fflush(stdout);
                abort();
            }
            printf("ok 1 %s\n", path);
        }
    }
    return 0;
}
#endif

#ifdef GREATEST
int greatest_info;

int run_with_options(int argc, char **argv, const struct Case *tests, int count)
{
    const char *wanted = NULL;
    int lists = 0, passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        lists |= !strcmp(argv[i], "-l");
        if (!strcmp(argv[i], "-t"))
            wanted = argv[++i];
    }
    printf("\n* Suite calc:\n");
    for (int i = 0; i < count; i++) {
        if (lists) {
            printf("  %s\n", tests[i].name);
        } else if (!wanted || !strcmp(wanted, tests[i].name)) {
            int got = tests[i].run();
            failed += got != 0;
            passed += got == 0;
            if (got)
                printf("F\nFAIL %s: 6 != times(2, 3) (t.c:7)\n", tests[i].name);
        }
    }
    if (!lists)
        printf("\nPass: %d, fail: %d, skip: 0.\n", passed, failed);
    return failed;
}
#endif
