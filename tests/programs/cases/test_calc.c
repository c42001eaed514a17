/* A test program of two cases, of which one fails. */
#include "calc.h"
#include "framework.h"

static int adds(void)
{
    return add(1, 2) - 3;
}

static int multiplies(void)
{
    int product = times(2, 3);
    return product == 6 ? 0 : product;
}

static const struct Case tests[] = {{"adds", adds}, {"multiplies", multiplies}};

#ifdef UNITY
int main(void)
{
    UnityBegin(__FILE__);
    UnityDefaultTestRun(adds, "adds", 10);
    UnityDefaultTestRun(multiplies, "multiplies", 11);
    return UnityEnd();
}
#elif defined CHECK
int main(void)
{
    _tcase_add_test("core", &tests[0], 0, 0, 0, 1);
    _tcase_add_test("core", &tests[1], 0, 0, 0, 1);
    return srunner_run_all();
}
#elif defined CMOCKA
int main(void)
{
    _assert_int_equal(1, 1);
    return _cmocka_run_group_tests("calc", tests, 2);
}
#else
int main(int argc, char **argv)
{
    return run_with_options(argc, argv, tests, 2);
}
#endif
