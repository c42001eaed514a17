/* Uses memory in a way that the word on its command line decides: each kind of misuse has one. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int count;
    const char *text;
};

/* Libraries let their users say what allocates. */
static struct {
    void *(*allocate)(size_t);
    void (*release)(void *);
} hooks = {malloc, free};

static size_t copied(const char *word)
{
    char *name = hooks.allocate(12); /* L1 one too few for twelve letters */
    size_t i;
    for (i = 0; word[i]; i++)
        name[i] = word[i];
    name[i] = 0; /* L2 */
    hooks.release(name);
    return strlen(word);
}

static int given_back(const char *word)
{
    int *number = malloc(sizeof *number); /* L3 */
    *number = 7;
    if (word[0] == 'x')
        free(number); /* L4 */
    return *number; /* L5 */
}

static int twice(const char *word)
{
    char *text = strdup(word); /* L6 */
    if (word[0] == 'd')
        free(text); /* L7 */
    free(text); /* L8 */
    return 1;
}

static int fits(const char *word)
{
    char small[8];
    strcpy(small, word); /* L9 */
    return small[0] == word[0];
}

static size_t length_of(const struct entry *of)
{
    return strlen(of->text); /* L10 */
}

static size_t found(const char *word)
{
    struct entry one = {1, "entry"};
    if (word[0] == 'n')
        one.text = NULL; /* L11 */
    return length_of(&one);
}

static int parts(const char *word)
{
    return word[0] == 'n' ? 0 : 3; /* L12 */
}

static int shared(const char *word)
{
    int among = parts(word);
    return 12 / among; /* L13 */
}

struct rule {
    char letter;
    int (*apply)(int);
};

static int doubled(int number)
{
    return 2 * number;
}

static int applied(const char *word)
{
    struct rule rules[] = {{'a', doubled}, {'b', NULL}}; /* L14 */
    struct rule *rule = &rules[word[0] == 'b'];
    return rule->apply(3); /* L15 */
}

static void *grown(void *old, size_t size)
{
    void *made = realloc(old, size); /* L16 */
    return made ? made : old;
}

static int kept(const char *word)
{
    char *all = grown(NULL, 4); /* L17 */
    for (int i = 0; word[i]; i++)
        all[i] = word[i]; /* L18 */
    return all[0] == word[0];
}

static size_t measured(const char *word)
{
    size_t (*measure)(const char *) = strlen;
    const char *of = word;
    if (word[0] == 'n')
        of = NULL; /* L19 */
    return measure(of); /* L20 */
}

static int lost(const char *word)
{
    const char *parts[2] = {word, word};
    int sum = 0;
    if (word[0] == 'n')
        memset(&parts[1], 0x81, sizeof parts[1]); /* where nothing lies */
    for (size_t at = 0; at < 2; at++)
        sum += *parts[at]; /* L21 */
    return sum > 0;
}

/* What an allocator says that an object has may be used, though it was not asked for. */
static int usable(const char *word)
{
    char *room = malloc(17); /* L22 */
    size_t size = malloc_usable_size(room) + (word[0] == 'n' ? 1 : 0);
    int sum = 0;
    memset(room, 0, 17);
    for (size_t at = 17; at < size; at++)
        sum += room[at] == 'x'; /* L23 */
    free(room);
    return sum + 1;
}

int main(int argc, char **argv)
{
    const char *word = argv[2];
    switch (argv[1][0]) {
    case 'c': printf("%zu\n", copied(word)); break;
    case 'g': printf("%d\n", given_back(word)); break;
    case 't': printf("%d\n", twice(word)); break;
    case 'f': printf("%d\n", fits(word)); break;
    case 'k': printf("%d\n", kept(word)); break;
    case 'm': printf("%zu\n", measured(word)); break;
    case 'u': printf("%d\n", usable(word)); break;
    case 'l': printf("%d\n", lost(word)); break;
    case 's': printf("%d\n", shared(word)); break;
    case 'a': printf("%d\n", applied(word)); break;
    default: printf("%zu\n", found(word)); break;
    }
    return 0;
}
