/* What a test program has from the stand-ins for unit-test frameworks in framework.c. */
typedef int (*Function)(void);

struct Case {
    const char *name;
    Function run;
};

/* As Unity runs a function. */
void UnityBegin(const char *file);
void UnityDefaultTestRun(Function function, const char *name, int line);
int UnityEnd(void);

/* As Check is given a function: what begins with its name. */
void _tcase_add_test(void *tcase, const struct Case *test, int signal, int status, int from, int to);
int srunner_run_all(void);

/* As cmocka runs a group. */
void _assert_int_equal(int one, int other);
int _cmocka_run_group_tests(const char *group, const struct Case *tests, unsigned long count);

/* As programs of frameworks with options of their own run. */
int run_with_options(int argc, char **argv, const struct Case *tests, int count);
