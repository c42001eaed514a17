//! Long recordings: of the last part the same is read as of the whole.

use std::time::{Duration, Instant};

use suspect::comparison::{Run, Value};
use suspect::recording::{Deadline, NotRead, Recording, Runs, Stretch, code_of, own_position, parting, read_last};

use crate::project::Project;

/// Calls back, recurses, allocates and jumps out of calls, round after round.
const ROUNDS: &str = r#"#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out;
static int total;

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int depth(int n)
{
    if (n > 5 && total % 7 == 3)
        longjmp(out, 1);
    return n == 0 ? 0 : 1 + depth(n - 1);
}

static void round_of(int seed)
{
    int *numbers = malloc(8 * sizeof *numbers);
    for (int i = 0; i < 8; i++)
        numbers[i] = (seed * 31 + i * 17) % 23;
    qsort(numbers, 8, sizeof *numbers, compare);
    total += numbers[3] + depth(seed % 9);
    free(numbers);
}

int main(void)
{
    for (volatile int seed = 0; seed < 300; seed++)
        if (setjmp(out) == 0)
            round_of(seed);
        else
            total++;
    printf("%d\n", total);
    return 0;
}
"#;

/// The recording of [`ROUNDS`].
fn recorded(project: &Project) -> Recording {
    project.write("rounds.c", ROUNDS);
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "rounds", "rounds.c"]);
    let out = project.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let mut command = std::process::Command::new(project.path().join("rounds"));
    assert!(command.env("SUSPECT_RECORD", "record").env("SUSPECT_OUT", &out).status().unwrap().success());
    let mut files = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.to_string_lossy().ends_with(suspect_format::record::FILE_SUFFIX)).unwrap();
    Recording::open(&file).unwrap()
}

#[test]
fn a_recording_is_not_read_beyond_the_deadline() {
    let project = Project::new();
    let recording = recorded(&project);
    let (_, code) = code_of(&[&recording], "").unwrap();
    let length = Stretch { points: 1 << 10, bytes: u64::MAX };
    let over = Deadline::at(Instant::now());
    let later = Deadline::at(Instant::now() + Duration::from_secs(3600));
    assert_eq!(Runs::read_alone(&code, &recording, true, u32::MAX, over).err(), Some(NotRead::Late));
    assert_eq!(Runs::read_if(&code, &[&recording; 2], u32::MAX, over, |_| true).err(), Some(NotRead::Late));
    assert_eq!(read_last(&code, &recording, true, length, &[], over).err(), Some(NotRead::Late));
    assert_eq!(parting(&code, [&recording; 2], over), Err(NotRead::Late));
    assert_eq!(parting(&code, [&recording; 2], later), Ok(None));
}

#[test]
fn the_last_part_of_a_run_says_what_all_of_it_says_there() {
    let project = Project::new();
    let recording = recorded(&project);
    let (_, code) = code_of(&[&recording], "").unwrap();
    let whole = Runs::read_alone(&code, &recording, true, u32::MAX, Deadline::NEVER).unwrap();
    let points = whole.runs[0].points();
    let too_many = Runs::read_alone(&code, &recording, true, points - 1, Deadline::NEVER).err();
    assert_eq!(too_many, Some(NotRead::TooMany(points - 1)));
    let eighth = Stretch { points: points / 8, bytes: u64::MAX };
    let last = read_last(&code, &recording, true, eighth, &[], Deadline::NEVER).unwrap();
    let (all, part) = (&whole.runs[0], &last.runs[0]);
    assert!(part.points() - part.skipped().points <= points / 4 + 1);
    let (skipped, passed) = (part.skipped(), last.passed.as_ref().unwrap());
    assert!(skipped.points > all.points() / 2 && skipped.points < all.points() - 100, "{skipped:?}");
    assert_eq!((part.points(), &last.walked[0].end), (all.points(), &whole.walked[0].end));
    let name = |runs: &Runs, value: Value| match value {
        // Objects have other numbers where fewer are kept.
        Value::Address(place) => (format!("{:?}", runs.naming.kinds[place.object as usize]), u64::from(place.offset)),
        value => (format!("{value:?}"), 0),
    };
    let reads = |runs: &Runs, run: &Run, point: u32| {
        let one = |write: &u32| (name(runs, run.value(*write)), run.writer(*write).max(skipped.points));
        run.reads(point).iter().map(one).collect::<Vec<_>>()
    };
    // What was allocated before the part may be read in larger pieces there: by those that wrote it, it was cut into smaller ones.
    let settled = skipped.points + (all.points() - skipped.points) / 2;
    for point in skipped.points + 1..all.points() {
        assert_eq!((part.site(point), part.outcome(point)), (all.site(point), all.outcome(point)), "{point}");
        assert_eq!(own_position(&code, part, point), own_position(&code, all, point), "{point}");
        let known = |parent: u32| if parent <= skipped.points { 0 } else { parent };
        assert!(known(part.parent(point)) == known(all.parent(point)) || part.parent(point) == u32::MAX, "{point}");
        if point < settled {
            continue;
        }
        let kept = reads(&last, part, point);
        let kept = kept.into_iter().map(|(value, writer)| (value, if writer == 0 { skipped.points } else { writer }));
        assert_eq!(kept.collect::<Vec<_>>(), reads(&whole, all, point), "{point}");
    }
    let site = all.site(all.points() - 1);
    let executed = |run: &Run, from: u32| (from..all.points()).filter(|point| run.site(*point) == site).count() as u32;
    assert_eq!(passed.count(site) + executed(part, skipped.points + 1), executed(all, 1));
}
