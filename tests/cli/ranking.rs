//! `suspect rank` on recorded runs: what it prints, in both forms.

use crate::project::Project;

/// The method of tests that are not about the default one.
const OCHIAI: [&str; 2] = ["--method", "ochiai"];

/// A program with a fault that tests `b` and `c` show, and its recorded suite.
fn recorded() -> Project {
    let project = Project::new();
    project
        .write(
            "lib/sum.c",
            "int sum(int a, int b)\n{\n    if (a > 10)\n        return a - b;\n    return a + b;\n}\n",
        )
        .write(
            "main.c",
            "#include <stdlib.h>\nint sum(int, int);\nint main(int n, char **v)\n{\n    (void)n;\n    \
             return sum(strtol(v[1], 0, 10), strtol(v[2], 0, 10)) != strtol(v[3], 0, 10);\n}\n",
        )
        .write("tests.txt", "1 2 3\n20 1 21\n30 5 35\n4 4 8\n0 0 0\n")
        .write(
            "suspect.toml",
            "[build]\ncommand = \"cc -O2 -o prog main.c lib/sum.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\n\
             run = \"./prog {line}\"\n",
        );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

#[test]
fn faulty_line_comes_first_in_its_source() {
    let project = recorded();
    let text = project.succeed(&["rank", "-v", "--method", "ochiai"]);
    let first = text.split("\n\n").next().unwrap();
    assert!(first.contains("lib/sum.c:4") && first.contains("return a - b;"), "{text}");
    assert!(first.contains("executed by 2 of 2 failing, 0 of 3 passing tests"), "{text}");
    assert!(text.contains("2 failing tests against 3 passing"), "{text}");
}

#[test]
fn json_fits_the_schema_and_gives_places_relative_to_the_root() {
    let project = recorded();
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/ranking.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    for by in ["line", "block", "function", "node", "predicate"] {
        let ranking = project.ranking(&["--by", by]);
        let errors: Vec<String> = validator.iter_errors(&ranking).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{by}: {errors:?}");
        assert_eq!(ranking["by"], by);
        let ranks = ranking["ranking"].as_array().unwrap();
        assert!(!ranks.is_empty(), "{by}");
        assert!(
            ranks.windows(2).all(|pair| pair[0]["rank"].as_f64() < pair[1]["rank"].as_f64()),
            "{by}: not in rank order"
        );
    }
    let first = &project.ranking(&OCHIAI)["ranking"][0];
    assert_eq!((first["file"].as_str(), first["line"].as_u64()), (Some("lib/sum.c"), Some(4)));
    assert_eq!((first["function"].as_str(), first["unit"].as_str()), (Some("sum"), Some("lib/sum.c:4")));
    assert_eq!((first["rank_best"].as_u64(), first["rank_worst"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn schema_file_is_what_the_code_says() {
    let schema = schemars::schema_for!(suspect::report::RankingReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ranking.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), expected, "UPDATE_EXPECT=1 writes it anew");
}

#[test]
fn works_from_anywhere_with_directory_option() {
    let project = recorded();
    let elsewhere = Project::new();
    let ranking =
        elsewhere.succeed(&["-C", project.path().to_str().unwrap(), "rank", "-v", "--method", "ochiai", "--top", "1"]);
    assert!(ranking.contains("lib/sum.c:4"), "{ranking}");
    let below = project.path().join("lib");
    assert_eq!(
        elsewhere.succeed(&["-C", below.to_str().unwrap(), "rank", "-v", "--method", "ochiai", "--top", "1"]),
        ranking
    );
}

#[test]
fn every_method_ranks() {
    let project = recorded();
    project.succeed(&["mutate", "--samples", "1"]);
    let methods = project.succeed(&["methods"]);
    let ids = methods.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let mut n = 0;
    for id in ids.filter(|id| !id.contains('(')) {
        // All measures share their code; a sample of them and every other method.
        n += 1;
        if n % 20 == 0 || n > 221 {
            assert!(
                project.ranking(&["--method", id])["ranking"].as_array().is_some_and(|all| !all.is_empty()),
                "{id}"
            );
        }
    }
    assert!(n > 221, "only {n} methods are listed");
}

#[test]
fn tie_breakers_give_the_ranks_they_promise() {
    let project = recorded();
    let rank_of = |ties: &str| {
        let ranking = project.ranking(&["--method", "ochiai", "--ties", ties]);
        let entries = ranking["ranking"].as_array().unwrap().clone();
        let tied =
            entries.iter().find(|entry| entry["rank_best"] != entry["rank_worst"]).expect("some lines tie").clone();
        (tied["rank"].as_f64().unwrap(), tied["rank_best"].as_f64().unwrap(), tied["rank_worst"].as_f64().unwrap())
    };
    let (rank, best, worst) = rank_of("average");
    assert_eq!(rank, (best + worst) / 2.0);
    assert_eq!(rank_of("best").0, best);
    assert_eq!(rank_of("worst").0, worst);
}

#[test]
fn innocent_lines_stay_innocent_until_forgotten() {
    let project = recorded();
    let first = |arguments: &[&str]| {
        project.ranking(&[&OCHIAI, arguments].concat())["ranking"][0]["unit"].as_str().unwrap().to_string()
    };
    assert_eq!(first(&[]), "lib/sum.c:4");
    assert_ne!(first(&["--innocent", "lib/sum.c:4"]), "lib/sum.c:4");
    assert_ne!(first(&[]), "lib/sum.c:4");
    assert_ne!(first(&["--innocent", "sum()"]), "lib/sum.c:3");
    assert_eq!(first(&["--forget-innocent"]), "lib/sum.c:4");
}

#[test]
fn questions_get_exact_answers() {
    let project = recorded();
    // Both failing tests execute the same lines, so either line alone is the only cause as probably as the other.
    assert_eq!(project.succeed(&["ask", "P(f[main()])", "--by", "function"]), "8/9 = 0.888889\n");
    assert_eq!(project.succeed(&["ask", "P(f[main()] | !f[sum()])", "--by", "function"]), "1 = 1.000000\n");
    let message = project.fail(&["ask", "P(f[main()] && ", "--by", "function"], 1);
    assert!(message.contains("column 16") && message.contains("               ^"), "{message}");
    let message = project.fail(&["ask", "P(f[nowhere.c:1])"], 1);
    assert!(message.contains("nowhere.c:1"), "{message}");
}

#[test]
fn questions_about_one_test_stand_inside_others() {
    let project = recorded();
    let ask = |query: &str| project.succeed(&["ask", query, "--by", "function"]);
    assert_eq!(ask("P(in[2] e && !in[1] e)"), "1 = 1.000000\n");
    // The test spoken of is 3 with 1/5; main alone fails 2 with 1/3, and sum is a cause in 3 with 2/3.
    assert_eq!(ask("P(◇_2 H[main()] && h[sum()])"), "2/45 = 0.044444\n");
    let message = project.fail(&["ask", "P(in[nowhere] e)", "--by", "function"], 1);
    assert!(message.contains("column 6") && message.contains("nowhere"), "{message}");
}

#[test]
fn weights_of_questions_come_from_a_file_or_the_spectra() {
    let project = recorded();
    let ask = |weight: &str| project.succeed(&["ask", "P(f[main()])", "--by", "function", "--weight", weight]);
    let write = |text: &str| std::fs::write(project.path().join("weights"), text).unwrap();
    // Two failing tests execute both functions: main is no cause of one with (3/4 1/2) / (1 - 3/4 1/2).
    write("# doubtful\nh[main()] 0.25\n");
    assert_eq!(ask("weights"), "16/25 = 0.640000\n");
    // Each function fails in two of five tests, 3/7 by the rule of succession.
    assert_eq!(ask("spectrum"), "105/121 = 0.867769\n");
    // Against the mean of both functions, which is not their number: the larger one is the likelier cause.
    let sizes = |unit: &str| {
        let query = format!("P({unit})");
        let text = project.succeed(&["ask", &query, "--by", "function", "--weight", "size", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["value"].as_f64().unwrap()
    };
    let (of_main, of_sum) = (sizes("f[main()]"), sizes("f[sum()]"));
    assert!(of_main != of_sum && of_main.max(of_sum) > 8.0 / 9.0, "{of_main} {of_sum}");
    for (text, line, reason) in [
        ("h[main()] 0.25\nh[none()] 1\n", 2, "none()"),
        ("h[main()] 2", 1, "expected a probability"),
        ("main 1", 1, "h[UNIT]"),
    ] {
        write(text);
        let message = project.fail(&["ask", "P(e)", "--by", "function", "--weight", "weights"], 9);
        assert!(message.contains(&format!("weights:{line}: ")) && message.contains(reason), "{message}");
    }
    let message = project.fail(&["ask", "P(e)", "--weight", "nowhere"], 9);
    assert!(message.contains("--weight nowhere: ") && message.contains("give a file"), "{message}");
}

#[test]
fn the_innocent_are_no_causes_in_questions() {
    let project = recorded();
    let ask = |more: &[&str]| project.succeed(&[&["ask", "P(f[main()])", "--by", "function"], more].concat());
    assert_eq!(ask(&[]), "8/9 = 0.888889\n");
    assert_eq!(ask(&["--innocent", "sum()"]), "1 = 1.000000\n1 unit counts as innocent (--forget-innocent)\n");
    assert!(ask(&["--format", "json"]).contains("\"innocent\": 1"));
    let message = project.fail(&["ask", "P(e)", "--by", "function", "--innocent", "main()"], 4);
    assert!(message.contains("every ranked unit that it executed is innocent"), "{message}");
    assert_eq!(ask(&["--forget-innocent"]), "8/9 = 0.888889\n");
    let message = project.fail(&["ask", "P(e)", "--innocent", "nowhere.c:1"], 1);
    assert!(message.contains("--innocent nowhere.c:1: no code here"), "{message}");
}

#[test]
fn spectra_go_out_and_come_back_ranked_alike() {
    let project = recorded();
    project.succeed(&["report", "--format", "gzoltar", "--output", "spectra"]);
    let tests = std::fs::read_to_string(project.path().join("spectra/tests.csv")).unwrap();
    assert_eq!(tests.lines().count(), 6, "{tests}");
    let (ours, theirs) = (project.ranking(&OCHIAI), project.ranking(&["--spectra", "spectra"]));
    let places = |ranking: &serde_json::Value| -> Vec<(String, u64, String)> {
        let entry = |entry: &serde_json::Value| {
            let file = entry["file"].as_str().unwrap().to_string();
            (file, entry["line"].as_u64().unwrap(), entry["score"].to_string())
        };
        ranking["ranking"].as_array().unwrap().iter().map(entry).collect()
    };
    let system = |place: &(String, u64, String)| !place.0.starts_with('/');
    assert_eq!(places(&ours), places(&theirs).into_iter().filter(system).collect::<Vec<_>>());
    let message = project.fail(&["rank", "--spectra", "spectra", "--method", "blockrank"], 1);
    assert!(message.contains("edge counts") && message.contains("coverage"), "{message}");
    std::fs::write(project.path().join("spectra/matrix.txt"), "1 0 x +\n").unwrap();
    let message = project.fail(&["rank", "--spectra", "spectra"], 9);
    assert!(message.contains("matrix.txt:1"), "{message}");
}

/// A program that adds up what it is given; each test but the last passes, no test asks how it is called.
const SUMS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int help(void)
{
    puts("sums NUMBER...");
    puts("adds them up");
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "help") == 0)
        return help();
    long sum = 0;
    for (int i = 1; i < argc && sum < 100; i++)
        sum += strtol(argv[i], 0, 10);
    printf("%ld\n", sum);
    return 0;
}
"#;

#[test]
fn what_no_failing_test_executes_is_never_first_and_scores_that_are_infinite_say_so() {
    let project = Project::new();
    let lines = ["1 2", "3", "4 5 6", "7 8", "9", "10 11", "12 13 14", "15 2", "7 7 7", "40 50", "99 7 8"];
    project.write("sums.c", SUMS).write("tests.txt", &(lines.join("\n") + "\n")).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog sums.c\"\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\n\
         reference = \"echo {line} | tr ' ' '\\\\n' | awk '{ s += $1 } END { print s }'\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let help = 1 + SUMS.lines().position(|line| line.contains("sums NUMBER")).unwrap();
    for method in ["ochiai", "tarantula", "jaccard", "dstar2", "kulczynski2", "wong3", "ample", "cp", "slice"] {
        let ranking = project.ranking(&["--method", method]);
        let entries = ranking["ranking"].as_array().unwrap();
        let of = |entry: &serde_json::Value| entry["evidence"]["failing_executed"].as_u64().unwrap();
        let first = entries.iter().position(|entry| of(entry) == 0).expect("lines of help() are not executed");
        assert!(entries[first..].iter().all(|entry| of(entry) == 0), "{method}: {ranking:#}");
        assert!(entries[first..].iter().any(|entry| entry["line"] == help), "{method}");
    }
    let text = project.succeed(&["rank", "-v", "--method", "tarantula"]);
    assert!(text.contains("executed by no failing test and come last, whatever the score"), "{text}");
    // The loop ends at `sum < 100` in the failing test alone: the share of that is the same in all passing tests.
    let ranking = project.ranking(&["--method", "des_sober", "--by", "predicate"]);
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/ranking.schema.json")).expect("the schema is JSON");
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .expect("the schema is a schema")
        .iter_errors(&ranking)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(ranking["ranking"].as_array().unwrap().iter().any(|entry| entry["score"] == "inf"), "{ranking:#}");
    let text = project.succeed(&["rank", "-v", "--method", "des_sober", "--by", "line", "--top", "50"]);
    assert!(text.contains("(des_sober inf)") && text.contains("(des_sober undefined)"), "{text}");
    assert!(text.lines().all(|line| line.len() < 250), "{text}");
}
