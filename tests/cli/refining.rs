//! What `suspect init --refine` keeps of what it tries.

use crate::project::{Project, text};

/// Whether a number is below ten, but ten is not said to be above; without a number it ends as if it could not be found.
const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    if (argc < 2)\n        return 127;\n\
                       \x20   puts(atoi(argv[1]) <= 10 ? \"below\" : \"above\");\n    return 0;\n}\n";

/// A start that ends with 127 cannot be judged, so drivers that pass cannot be taken apart here.
const PASSES: &str = "./below; [ $? = 127 ] && [ \"$(./below 3)\" = below ]\n";

const FAILS: &str = "status=0\ncheck() {\n    if [ \"$(./below $1)\" = $2 ]; then echo \"PASS: $1\"; else echo \"FAIL: $1\"; status=1; fi\n}\n\
                     check 3 below\ncheck 12 above\ncheck 10 above\nexit $status\n";

#[test]
fn a_driver_that_fails_is_taken_apart_where_others_cannot_be() {
    let project = Project::new();
    project
        .write("below.c", PROGRAM)
        .write("Makefile", "below: below.c\n\t$(CC) -g -O0 -o $@ below.c\n")
        .write("passes", PASSES)
        .write("fails", FAILS)
        .write(
            "suspect.toml",
            "[build]\ncommand = \"make\"\n[[suite]]\nkind = \"command\"\nlist = \"printf '%s\\\\n' passes fails\"\nrun = \"sh {test}\"\n",
        );
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["init", "--refine"]));
    assert!(
        said.contains("left out `starts = true` of [[suite]] 1: passes, 1st start of below cannot be judged"),
        "{said}"
    );
    assert!(said.contains("wrote `starts = [\"fails\"]` into [[suite]] 1: 2 tests become 5"), "{said}");
    let said = text(&project.suspect(&["test"]));
    assert!(said.contains("fails: fails, 3rd start of below: fails: FAIL: 10\n"), "{said}");
}
