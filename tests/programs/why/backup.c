/* Makes a directory in a made-up file system. That it exists already is no error, but its status is handed on as one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALREADY_THERE = 17 };

static const char *tree[8] = {"dir1", "dir2"};
static int entries = 2, tree_errno, undone, backup_wanted = 1;

static int make(const char *wanted)
{
    for (int at = 0; at < entries; at++)
        if (strcmp(tree[at], wanted) == 0) {
            tree_errno = ALREADY_THERE;
            return -1;
        }
    tree[entries++] = wanted;
    return 0;
}

static int was_directory(const char *wanted)
{
    return strcmp(wanted, "dir1") == 0 || strcmp(wanted, "dir2") == 0;
}

static int next_member(char *file_name)
{
    int found = scanf("%15s", file_name); /* L2 */
    return found == 1;
}

static int extract(char *file_name)
{
    int tmp = make(file_name); /* L6 */
    int status = tmp; /* L7 */
    if (status) { /* L8 */
        if (tree_errno == ALREADY_THERE && was_directory(file_name)) /* L9 */
            ; /* the status stays what it is: the mistake */
        else if (file_name[0] != '/') { /* L11 */
            printf("cannot make %s\n", file_name); /* L12 */
            exit(2);
        }
    }
    return status; /* L14 */
}

static void undo(void)
{
    undone = 1; /* L19 */
}

int main(void)
{
    static char name[16];

    if (!next_member(name)) return 9;
    int status = extract(name); /* L17 */
    if (status && backup_wanted) /* L18 */
        undo();
    printf("undone=%d\n", undone); /* L21 */
    return 0;
}
