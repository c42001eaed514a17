//! The page as it is written; `tests/page` looks at it in a browser.

use super::markup::{anchor, escape};
use super::*;
use crate::report::document_tests::{HOSTILE, hostile, sample};

/// The page without the parts that are the same for all reports, and without its data.
fn body(report: &Report) -> String {
    let page = report_html(report).replace(SCRIPT, "").replace(STYLE, "");
    let (before, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, after) = rest.split_once("</script>").unwrap();
    let value: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(value["files"].as_array().unwrap().len(), 1);
    format!("{before}{after}")
}

#[test]
fn the_page_says_everything_without_its_script() {
    let body = body(&sample());
    for words in [
        "2 of 5 tests fail",
        "<span class=\"rank\">#1</span>",
        "suspect replay 00000000deadbeef",
        "suspect rank --why sum.c:4",
        "<mark>4          return a - b;</mark>",
        "+        return a + b;",
        "because of",
        "suspect explain b",
        "<dd class=\"expected\"><code>total 12</code></dd>",
        "<dd class=\"written\"><code>total 8</code></dd>",
        "<pre tabindex=\"0\">10 2\n</pre>",
        "This is its beginning.",
        "<title>night 3: 3 of 5 tests fail</title>",
        "<title>night 4: rank 1</title>",
        "Edges of sum()",
        "Ranks by method",
        "flaky: passed 1 of 2 times",
        "odd() at sum.c:90: inline assembly with labels",
        "1 line that no test executes",
        "The failing tests seem to fail for 2 reasons:",
        "<li>c: sum.c:4 (91 %)</li>",
        "Since night 3 (2026-02-28 06:13 UTC): 1 fails now, 1 still fails, 1 fixed",
        "<b>not looked at, so not resolved</b>",
        "0123456789 A: Sum up",
    ] {
        assert!(body.contains(words), "{words} is not in the page");
    }
    let mut proved = sample();
    let chain = &mut proved.explanations[0];
    (chain.effect, chain.verified, chain.complete) = ("writes `-9`".into(), true, true);
    chain.steps[0].taken = vec!["`a > 10` goes another way".into()];
    let proved = self::body(&proved);
    for words in ["writes <code>-9</code>", "<code>a &gt; 10</code> goes another way", "patched runs proved each step"]
    {
        assert!(proved.contains(words) && !body.contains(words), "{words}");
    }
    assert!(body.contains("not everything was followed back"), "what is not proved is said");
    let empty = Report { ranking: None, no_ranking: Some("all 3 tests pass".into()), ..sample() };
    assert!(report_html(&empty).contains("all 3 tests pass"));
}

#[test]
fn the_page_begins_with_the_failure_and_ends_with_folded_tables() {
    let body = body(&sample());
    let at = |words: &str| body.find(words).unwrap_or_else(|| panic!("{words}"));
    let order =
        ["id=\"failures\"", "id=\"suspects\"", "id=\"causes\"", "id=\"nights\"", "id=\"tests\"", "id=\"profiles\""];
    assert!(order.is_sorted_by_key(|id| at(id)));
    assert_eq!(body.matches("<details class=\"folded\"><summary>Show</summary>").count(), 2);
    let alone = Report { nights: Vec::new(), ..sample() };
    assert!(!report_html(&alone).contains("id=\"nights\""));
}

#[test]
fn a_value_leads_to_the_step_that_tells_where_it_comes_from() {
    let mut report = sample();
    let chain = &mut report.explanations[0];
    chain.steps = vec![chain.steps[0].clone(); 2];
    chain.origins = Vec::new();
    let page = body(&report);
    let (first, last) = page.split_once("id=\"chain-1-2\"").unwrap();
    assert!(first.contains("<td><a href=\"#chain-1-2\">true</a></td>"), "{first}");
    assert!(last.contains("<td>true</td>") && !last.contains("href=\"#chain-1-3\""), "the last step has no source");
}

#[test]
fn a_page_stays_small_whatever_its_chains_are() {
    let mut report = sample();
    let before = report_html(&report).len();
    let chain = &mut report.explanations[0];
    let mut step = chain.steps[0].clone();
    step.causes = vec![step.causes[0].clone(); 100];
    step.cut = step.causes.clone();
    chain.steps = vec![step; 200];
    let bytes = report_html(&report).len() - before;
    assert!(bytes < 1_000_000, "{bytes}");
}

#[test]
fn tabs_in_excerpts_lead_where_they_lead_in_a_terminal() {
    let mut report = sample();
    for file in &mut report.files {
        file.text = file.text.take().map(|text| text.replace("        return", "\treturn"));
    }
    assert!(body(&report).contains("<mark>4          return a - b;</mark>"), "{}", body(&report));
}

#[test]
fn nothing_from_the_program_is_markup() {
    let count = |page: &str, what: &str| page.matches(what).count();
    let (plain, odd) = (report_html(&sample()), report_html(&hostile()));
    for tag in ["<script", "</script", "<img", "<style", "onerror=", "\u{1b}", "\u{202e}"] {
        let inert = tag == "onerror=";
        assert!(inert || count(&plain, tag) == count(&odd, tag), "{tag}");
    }
    assert!(!body(&hostile()).contains("<img") && !body(&hostile()).contains('\0'));
}

#[test]
fn the_policy_allows_just_this_script_and_these_styles() {
    let sources: Vec<&str> = SOURCES.lines().collect();
    assert!(sources.len() == 2 && sources.iter().all(|source| source.starts_with("'sha256-")), "{sources:?}");
    assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style") && !SCRIPT.contains("innerHTML"));
}

#[test]
fn places_are_addresses_whatever_files_are_called() {
    assert_eq!(anchor("src/a b.c", 7), "s=src/a%20b.c:7");
    let mut text = String::new();
    escape(HOSTILE, &mut text);
    assert!(text.contains("&lt;img src=x") && text.contains('\u{fffd}') && !text.contains('"'), "{text}");
}
