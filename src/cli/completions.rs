//! `suspect completions`, and the answers that shells ask for while somebody types: names of tests, methods, lines and claims of this project.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};

use super::args::Arguments;
use super::exit::{Exit, Failure};
use super::place::project_root;
use crate::rank::methods;
use crate::ranking::{Claims, KeptRanking};
use crate::report::change_of;
use crate::store::Store;

/// The variable by which the scripts say that they ask, and for which shell.
const VARIABLE: &str = "SUSPECT_COMPLETE";
/// What the bash script has after the generated function `_clap_complete_suspect`: bash ends a word at a colon, so `FILE:LINE` is put together
/// again, and replies begin behind the last colon.
const BASH_COLONS: &str = r#"
_suspect_complete() {
    local -a joined=()
    local at index=0 glue=
    for ((at = 0; at < ${#COMP_WORDS[@]}; at++)); do
        if [[ -n $glue || ${COMP_WORDS[at]} == :* ]] && ((${#joined[@]} > 0)); then
            joined[${#joined[@]} - 1]+=${COMP_WORDS[at]}
        else
            joined+=("${COMP_WORDS[at]}")
        fi
        glue=
        [[ ${COMP_WORDS[at]} == *: ]] && glue=yes
        ((at == COMP_CWORD)) && index=$((${#joined[@]} - 1))
    done
    local -a COMP_WORDS=("${joined[@]}")
    local COMP_CWORD=$index
    local typed=${joined[index]}
    _clap_complete_suspect "$1" "$typed" "${joined[index - 1]}"
    if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${typed%:*}:"}")
    fi
}
complete -o nospace -o bashdefault -F _suspect_complete suspect
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _suspect_complete suspect
fi
"#;
/// Candidates that are offered: what fills a screen.
const MOST: usize = 200;

/// Answers a shell that asks, and ends then.
pub fn answer() {
    CompleteEnv::with_factory(Arguments::command).var(VARIABLE).complete();
}

/// Prints the script that makes a shell ask.
pub fn script(shell: Shell, out: &mut impl Write) -> Result<(), Failure> {
    let name = shell.to_string();
    let unknown = || Failure::new(Exit::Internal, format!("{name}: there is no script for it"));
    let shells = Shells::builtins();
    let completer = shells.completer(&name).ok_or_else(unknown)?;
    completer.write_registration(VARIABLE, "suspect", "suspect", "suspect", out).map_err(Failure::of(Exit::File))?;
    if shell == Shell::Bash {
        out.write_all(BASH_COLONS.as_bytes()).map_err(Failure::of(Exit::File))?;
    }
    Ok(())
}

/// The project's tests.
pub fn tests(typed: &OsStr) -> Vec<CompletionCandidate> {
    let tests = store().and_then(|store| store.latest_manifest().ok()).map(|manifest| manifest.tests);
    let verdict = |passed: Option<bool>| match passed {
        Some(true) => "passes",
        Some(false) => "fails",
        None => "does not count",
    };
    offered(typed, tests.into_iter().flatten().map(|test| (test.name, verdict(test.passed).to_owned())))
}

/// The methods by which `suspect rank` can rank, and `all`.
pub fn ranking_methods(typed: &OsStr) -> Vec<CompletionCandidate> {
    let all = ("all".to_owned(), "all evidence together".to_owned());
    let known = methods().iter().map(|method| (method.id.to_owned(), method.name.to_owned()));
    offered(typed, std::iter::once(all).chain(known))
}

/// The lines that were ranked last, the likeliest first.
pub fn lines(typed: &OsStr) -> Vec<CompletionCandidate> {
    let kept = store().and_then(|store| store.load_ranking::<KeptRanking>().ok()?);
    let entries = kept.into_iter().flat_map(|kept| kept.ranking.ranking);
    offered(typed, entries.map(|entry| (format!("{}:{}", entry.file, entry.line), entry.function)))
}

/// The claims of rankings.
pub fn claims(typed: &OsStr) -> Vec<CompletionCandidate> {
    let claims = store().and_then(|store| store.load_claims::<Claims>().ok()?);
    let all = claims.iter().flat_map(Claims::all);
    offered(typed, all.map(|claim| (claim.id.clone(), format!("{}:{}: {}", claim.file, claim.line, change_of(claim)))))
}

fn store() -> Option<Store> {
    Some(Store::new(&project_root(&Path::new(".").canonicalize().ok()?)))
}

/// Those that begin as typed, or where none does those that have it in them, each with its explanation.
fn offered(typed: &OsStr, all: impl Iterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let all: Vec<(String, String)> = all.filter(|(name, _)| name.contains(&*typed)).collect();
    let begins = |(name, _): &&(String, String)| name.starts_with(&*typed);
    let some_begin = all.iter().any(|one| begins(&one));
    let wanted = all.iter().filter(|one| !some_begin || begins(one)).take(MOST);
    let candidate = |(at, (name, help)): (usize, &(String, String))| {
        CompletionCandidate::new(name).help(Some(help.into())).display_order(Some(at))
    };
    wanted.enumerate().map(candidate).collect()
}
