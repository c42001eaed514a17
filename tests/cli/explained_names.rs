//! Names and values in explanations: those of the program, never where things happen to lie in memory.

use crate::project::{Project, text};

const BOX: &str = "struct inner { int count; const char *text; };\n\
    struct box { int kind; struct inner *inner; };\nstruct box *make(int count);\n";

/// Code that is not instrumented, whose memory is of no known object.
const MAKE: &str = r#"#include "box.h"
struct box *make(int count)
{
    static struct inner inner;
    static struct box box = { 3, &inner };
    inner.count = count;
    inner.text = "text";
    return &box;
}
"#;

const MAIN: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include "box.h"

int main(int argc, char **argv)
{
    (void)argc;
    struct box *box = make(atoi(argv[1]));
    printf("%s\n", box->inner->count >= 7 ? "many" : "few"); /* the fault */
    return 0;
}
"#;

fn boxes() -> Project {
    let project = Project::new();
    project.write("box.h", BOX).write("make.c", MAKE).write("main.c", MAIN);
    project.write("tests.txt", "6\n7\n").write("expected/1", "few\n").write("expected/2", "few\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"SUSPECT_OFF=1 cc -g -O1 -c make.c && cc -g -O1 -o main main.c make.o\"\n\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project
}

#[test]
fn memory_of_no_known_object_is_called_as_the_program_calls_it() {
    let project = boxes();
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("`box->inner->count`"), "{said}");
    assert!(!said.contains("0x"), "{said}");
}

#[test]
fn literals_are_told_as_they_are_written() {
    let said = text(&boxes().suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("\"many\" here, \"few\" there"), "{said}");
    assert!(said.contains("`argv[1][0]` is \"7\" here, \"6\" there"), "{said}");
}

#[test]
fn bytes_of_literals_are_called_by_their_text() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstatic const char *named(int count)\n{\n    if (count > 6)\n        \
                  return \"many\";\n    return \"few\";\n}\nint main(int argc, char **argv)\n{\n    \
                  const char *name = named(argc > 1 ? atoi(argv[1]) : 0);\n    if (name[3] < 122)\n        puts(\"a lot\");\n    \
                  else\n        puts(\"little\");\n    return 0;\n}\n";
    let project = Project::new();
    project.write("main.c", source).write("tests.txt", "7\n").write("expected/1", "little\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o main main.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["explain", "1"]));
    assert!(said.contains("`\"many\"[3]` is 121 'y'"), "{said}");
}

#[test]
fn functions_of_the_systems_headers_are_no_places_of_their_own() {
    let said = text(&boxes().suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("main.c:8: because of this"), "{said}");
    assert!(!said.contains("stdlib.h"), "{said}");
}

/// Reads what a file without names in the debug information leaves in its buffer.
const RAW: &str = r#"#include <stdio.h>
#include <stdlib.h>

void *raw(int count);

int main(int argc, char **argv)
{
    (void)argc;
    int last = *(int *)((char *)raw(atoi(argv[1])) + 4);
    if (last > 6) /* the fault */
        puts("many");
    else
        puts("few");
    return 0;
}
"#;

const RAW_MAKE: &str = "static int kept[2];\nvoid *raw(int count)\n{\n    kept[1] = count;\n    return kept;\n}\n";

#[test]
fn addresses_are_told_where_they_are_asked_for() {
    let project = Project::new();
    project.write("raw.c", RAW_MAKE).write("main.c", RAW);
    project.write("tests.txt", "6\n7\n").write("expected/1", "few\n").write("expected/2", "few\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"SUSPECT_OFF=1 cc -O1 -c raw.c && cc -g -O1 -o main main.c raw.o\"\n\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("memory of no known object") && !said.contains("memory at 0x"), "{said}");
    let told = text(&project.suspect(&["explain", "2", "--against", "1", "--addresses"]));
    assert!(told.contains("memory at 0x"), "{told}");
}

/// Looks for an `e`, but not in the last two letters.
const LOOKED: &str = r#"#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    (void)argc;
    if (memchr(argv[1], 'e', strlen(argv[1]) - 2)) /* the fault */
        puts("nothing");
    else
        puts("something");
    return 0;
}
"#;

#[test]
fn a_call_of_a_library_is_told_with_what_it_was_given() {
    let project = Project::new();
    project.write("main.c", LOOKED);
    project.write("tests.txt", "abcde\neabcd\n").write("expected/1", "nothing\n").write("expected/2", "nothing\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o main main.c\"\n\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["explain", "1", "--switch"]));
    assert!(said.contains("memchr(argv[1], 101, 3) returned NULL"), "{said}");
}

#[test]
fn a_slow_test_is_run_no_more_often_than_needed() {
    let project = Project::new();
    project.write("main.c", LOOKED);
    project.write("tests.txt", "eabcd\nabcde\n").write("expected/1", "nothing\n").write("expected/2", "nothing\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o main main.c\"\n\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"echo {line} >> runs; ./main {line}; sleep 3.1\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let runs = || std::fs::read_to_string(project.path().join("runs")).unwrap().matches("abcde").count();
    let before = runs();
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("2 takes long, so it was recorded once"), "{said}");
    // Contained runs write into a copy of the directory.
    assert_eq!(runs(), before, "{said}");
}

/// A structure that is made, and first kept, as the one that it begins with.
const WHOLE: &str = r#"#include <stdio.h>
#include <stdlib.h>

struct head { int kind; int uses; };
struct whole { struct head head; int size; int color; };

static struct head *make(size_t bytes, int kind)
{
    struct head *head = calloc(1, bytes);
    if (!head)
        exit(2);
    head->kind = kind;
    return head;
}

int main(int argc, char **argv)
{
    struct whole *whole = (struct whole *)make(sizeof *whole, 3);
    whole->color = argc > 1 ? atoi(argv[1]) : 0;
    printf("%d\n", whole->color >= 7 ? 4 : whole->head.kind); /* the fault */
    return 0;
}
"#;

#[test]
fn an_object_is_called_as_the_whole_structure_that_it_is() {
    let project = Project::new();
    project.write("main.c", WHOLE).write("tests.txt", "6\n7\n").write("expected/1", "3\n").write("expected/2", "3\n");
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O0", "-o", "main", "main.c"]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("`whole->color`") && !said.contains("head[1]"), "{said}");
}

/// Two streams, one of which is chosen.
const STREAMS: &str = r#"#include <stdio.h>
#include <stdlib.h>

static FILE *chosen(int count, FILE *log)
{
    if (count > 6) /* the fault */
        return stdout;
    return log;
}

int main(int argc, char **argv)
{
    FILE *log = fopen("/dev/null", "w");
    FILE *to = chosen(argc > 1 ? atoi(argv[1]) : 0, log);
    fputs("many\n", to);
    return 0;
}
"#;

#[test]
fn streams_are_told_by_how_the_program_got_them() {
    let project = Project::new();
    project.write("main.c", STREAMS).write("tests.txt", "6\n7\n").write("expected/1", "").write("expected/2", "");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -g -O1 -o main main.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./main {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = text(&project.suspect(&["explain", "2", "--against", "1"]));
    assert!(said.contains("stdout here, the stream opened at main.c:13 there"), "{said}");
    assert!(!said.contains(".so"), "{said}");
}

/// A structure that only the unit knows which makes it: for the others, and for those before it, it is declared alone.
const COUNTER: [(&str, &str); 3] = [
    (
        "counter.h",
        "typedef struct counter_state Counter;\nCounter *counter(int limit);\nint limit(const Counter *counter);\n",
    ),
    (
        "counter.c",
        "#include <stdlib.h>\n#include \"counter.h\"\nstruct counter_state { long taken; int limit; };\n\
         Counter *counter(int limit)\n{\n    Counter *made = calloc(1, sizeof *made);\n    made->limit = limit + 1;\n    return made;\n}\n\
         int limit(const Counter *counter)\n{\n    return counter->limit;\n}\n",
    ),
    (
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"counter.h\"\nint main(int argc, char **argv)\n{\n    \
         Counter *kept = counter(atoi(argv[argc - 1]));\n    printf(\"%d\\n\", limit(kept));\n    return 0;\n}\n",
    ),
];

#[test]
fn members_of_a_structure_that_other_units_only_declare_have_names() {
    let suite = "kind = \"cases\"\ninputs = \"*.in\"\nrun = \"./main $(cat {input})\"\nexpect = \"{stem}.out\"";
    let files = [("a.in", "3"), ("a.out", "3\n")];
    let sources: Vec<(&str, &str)> = COUNTER.into_iter().chain(files).collect();
    let project = Project::tested(&sources, "cc -g -O1 -o main main.c counter.c", suite);
    let said = text(&project.suspect(&["explain"]));
    assert!(said.contains("->limit"), "{said}");
    assert!(!said.contains("calloc@"), "{said}");
}

/// The same memory holds words, and then numbers of eight bytes.
const REUSED: &str = r#"#include <stdio.h>
#include <stdlib.h>

typedef struct { unsigned long size, most, left; } state;

static int table[64];

static void clear(unsigned *room)
{
    for (unsigned at = 0; at < 6; at++)
        room[at] = 0;
}

static void init(state *state, int size)
{
    state->size = size;
    state->most = 4294967295;
}

int main(int argc, char **argv)
{
    state *state = malloc(sizeof *state);
    clear((unsigned *)state);
    init(state, atoi(argv[1]));
    state->left = LEFT;
    printf("%d\n", table[state->left]);
    return 0;
}
"#;

#[test]
fn a_number_that_other_accesses_use_in_parts_is_told_whole() {
    let explained = |left: &str| {
        let project = Project::new();
        project.write_lines("prog", &REUSED.replace("LEFT", left), "./prog {line}", &[("16", "0")]);
        project.succeed(&["build"]);
        project.suspect(&["test"]);
        text(&project.suspect(&["explain", "1"]))
    };
    let said = explained("state->most");
    assert!(said.contains("here it shows: `state->left` is 4294967295\n"), "{said}");
    assert!(said.contains("`state->left` becomes 4294967295"), "{said}");
    assert!(said.contains("`state->most` becomes 4294967295"), "{said}");
    let said = explained("state->size == 16 ? state->most : 0");
    assert!(said.contains("`state->left` is 4294967295 here, 0 there"), "{said}");
    assert!(said.contains("for `state->size` is 16 since") && !said.contains("malloc@"), "{said}");
}
