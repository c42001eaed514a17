/* Fills, indexes and queries an in-memory database; argument: thousands of rows. */
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static int print_row(void *unused, int n, char **values, char **names)
{
    (void)unused;
    (void)names;
    for (int i = 0; i < n; i++)
        printf("%s%c", values[i] ? values[i] : "-", i + 1 < n ? ' ' : '\n');
    return 0;
}

static void run(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, print_row, NULL, &error)) {
        fprintf(stderr, "%s: %s\n", sql, error);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int thousands = argc > 1 ? atoi(argv[1]) : 30;
    sqlite3 *db;
    char sql[400];
    if (sqlite3_open(":memory:", &db))
        return 1;
    run(db, "create table t(id integer primary key, a int, b text, c real)");
    snprintf(sql, sizeof sql,
             "with recursive n(i) as (select 1 union all select i + 1 from n where i < %d000) "
             "insert into t select i, (i * 7919) %% 10007, 'name' || (i * 31 %% 997), i / 3.0 from n", thousands);
    run(db, sql);
    run(db, "create index ta on t(a)");
    run(db, "create index tb on t(b)");
    run(db, "select count(*), sum(a), max(b) from t where a between 100 and 5000");
    run(db, "select b, count(*) k, avg(c) from t group by b order by k desc, b limit 3");
    run(db, "select count(*) from t x join t y on x.a = y.id where y.b like 'name1%'");
    run(db, "update t set c = c + a where a % 3 = 0");
    run(db, "delete from t where a % 7 = 1");
    run(db, "select sum(length(b)), round(sum(c)) from t");
    sqlite3_close(db);
    return 0;
}
