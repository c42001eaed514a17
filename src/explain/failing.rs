//! The failing test's run: recorded twice, and compared with the last `suspect test`.

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use super::second;
use crate::obstacle::Obstacle;
use crate::recording::{Deadline, parting};
use crate::report::{Claim, EXPLANATION_SCHEMA_VERSION, Explanation, Origin, Point, change_in_short, shell_word};
use crate::suite::{self, Test, Verdict};

/// A run of the failing test.
pub struct Failing {
    /// The recorded run.
    pub recorded: RecordedTest,
    /// A statement about what differs each time it runs, if that matters.
    pub unsteady: Option<String>,
    /// A statement about the clock that is held for that reason, or about a second run that was not made.
    pub held: Option<String>,
}

impl Failing {
    /// Records the test, twice unless it takes long: with its clock held at `clock`; without one as it is, or, if it is not the same each time unless its clock is held, with the clock
    /// held at the time of the last `suspect test`.
    pub fn record(
        room: &RecordingRoom<'_>,
        test: &Test,
        clock: Option<u64>,
        until: Instant,
    ) -> Result<Failing, Obstacle> {
        let tested = time_of_tests(room);
        let other_time = tested.map(|time| time + OTHER_TIME);
        let (recorded, unsteady) = Self::record_twice(room, test, "other", [clock, clock.or(other_time)], until)?;
        if unsteady.is_none() || clock.is_some() {
            let held =
                room.is_slow(&test.name).then(|| format!("{} takes long, so it was recorded once: {ONCE}", test.name));
            return Ok(Failing { recorded, unsteady, held });
        }
        if let Ok((steady, None)) = Self::record_twice(room, test, "held", [tested; 2], until)
            && steady.verdict == recorded.verdict
        {
            let held =
                format!("{} is looked at with its clock held: without, it does not do the same each time", test.name);
            return Ok(Failing { recorded: steady, unsteady: None, held: Some(held) });
        }
        room.hold_clock(None);
        Ok(Failing { recorded, unsteady, held: None })
    }

    /// Records the test, and what is other in a second run unless it takes long, with the clock held at these times.
    fn record_twice(
        room: &RecordingRoom<'_>,
        test: &Test,
        label: &str,
        [clock, again]: [Option<u64>; 2],
        until: Instant,
    ) -> Result<(RecordedTest, Option<String>), Obstacle> {
        let began = Instant::now();
        room.hold_clock(clock);
        let recorded = room.record(test, label)?;
        if room.is_slow(&test.name) {
            return Ok((recorded, None));
        }
        let is_unsteady = |run| second::takes_unsteady_values(run, &test.name);
        if room.tested().is_ok_and(is_unsteady) && room.may_depend_on_time() {
            // What code that is not recorded takes from a clock may be the same within a second.
            std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
        }
        room.hold_clock(again);
        let again = room.record(test, "again")?;
        room.hold_clock(clock);
        let unsteady = unsteady(room, test, [&recorded, &again], until)?;
        Ok((recorded, unsteady))
    }
}

/// What a test that was recorded once may still do.
const ONCE: &str = "whether it does the same each time was not looked at";

/// What is said of the change that mends a test whose run was not looked at.
const NOT_READ: &str = "nothing that the test's run did is told here: the change is one that `suspect rank` tried, and under which the test passed";

/// The failure of a test as the last `suspect test` saw it, and the change that mends it, or where the last ranking looks: what can be said before anything
/// is recorded.
pub fn failure(room: &RecordingRoom<'_>, name: &str) -> Option<Explanation> {
    let record = room.known(name).filter(|record| record.passed == Some(false))?;
    let effect = record.verdict.split_once(": ").map_or(record.verdict.as_str(), |(_, reason)| reason).to_owned();
    let claims = room.claims();
    let mend = claims.as_ref().and_then(|claims| Some(&claims.mends(name, &room.first_lines()).first()?.shown));
    let likeliest = match (mend, room.ranked_lines().first()) {
        (Some(Claim { file, line, .. }), _) => Some(format!("It can be mended at {file}:{line}.")),
        (None, Some((file, line))) => Some(format!("The likeliest line of the last `suspect rank` is {file}:{line}.")),
        (None, None) => None,
    };
    let origins = mend.map(|claim| Origin {
        point: Point { file: claim.file.clone(), line: claim.line, ..Point::default() },
        what: vec![format!("{}, {name} passes", change_in_short(claim, room.source(&claim.file)))],
    });
    Some(Explanation {
        schema_version: EXPLANATION_SCHEMA_VERSION,
        test: name.to_owned(),
        summary: std::iter::once(format!("{name}: {}.", effect.trim_end_matches('.'))).chain(likeliest).collect(),
        effect,
        trust: origins.iter().map(|_| NOT_READ.to_owned()).collect(),
        origins: origins.into_iter().collect(),
        command: format!("suspect explain {}", shell_word(name)),
        ..Explanation::default()
    })
}

/// Seconds between two runs that are to be alike unless the clock matters.
const OTHER_TIME: u64 = 1009;

/// When the last `suspect test` began, seconds since 1970; without one, now.
fn time_of_tests(room: &RecordingRoom) -> Option<u64> {
    let tested = room.tested().ok().map(|run| run.manifest.began);
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs());
    tested.filter(|seconds| *seconds > 0).or_else(now)
}

/// A statement that a recorded test does not end as in the last `suspect test`. Its run explains nothing then.
pub fn ends_otherwise(room: &RecordingRoom<'_>, name: &str, recorded: &RecordedTest) -> Option<String> {
    let known = room.known(name)?;
    let now = recorded.verdict_text();
    let ends_alike = match room.has_own_suite() {
        false => end_of(&known.verdict) == end_of(&now),
        // Another judge than the suite found the words.
        true => known.passed == Some(recorded.verdict == Verdict::Pass),
    };
    if ends_alike {
        return None;
    }
    Some(format!(
        "{name} does not end as it did in the last `suspect test`, so nothing is explained. It was: {}; and where it is recorded it is: {now}. Code that is \
         recorded is not optimised, and its locals begin as zero; run `suspect test` again if the program or the test changed",
        known.verdict
    ))
}

/// A statement that a test fails as in the last `suspect test`, but not word for word. Another time, or other garbage, may be behind that.
pub fn fails_otherwise(room: &RecordingRoom<'_>, name: &str, recorded: &RecordedTest) -> Option<String> {
    let (known, now) = (room.known(name)?, recorded.verdict_text());
    (recorded.verdict == Verdict::Fail && known.verdict != now)
        .then(|| format!("{name} was in the last `suspect test`: {}; where it is recorded it is: {now}", known.verdict))
}

/// Keeps of what a failing test says, which ends with a status, that what a passing test like it says as well is no complaint: tests of failures tell them, too.
pub fn without_usual(room: &RecordingRoom<'_>, test: &Test, failing: &mut RecordedTest) {
    let is_by_status = |reason: &&String| reason.starts_with(STATUS);
    let (Some(written), Some(reason)) = (&failing.written, failing.reason.as_ref().filter(is_by_status)) else {
        return;
    };
    let complains = || written.iter().any(|text| suite::complaints(text).next().is_some());
    if room.is_slow(&test.name) || !complains() {
        return;
    }
    let passing = second::passing(room, test, None).ok().and_then(|passing| room.test(&passing.most_alike.ok()?).ok());
    let Some(passed) = passing.and_then(|passing| room.record(passing, "usual").ok()) else { return };
    let (Verdict::Pass, Some(usual)) = (passed.verdict, &passed.written) else { return };
    let lines = usual.iter().flat_map(|text| text.split(|byte| *byte == b'\n'));
    let usual: HashSet<Vec<u8>> =
        lines.map(|line| line.trim_ascii().to_vec()).filter(|line| !line.is_empty()).collect();
    if !written.iter().flat_map(|text| suite::complaints(text)).any(|line| usual.contains(line.trim_ascii())) {
        return;
    }
    let end = reason.split(": ").next().unwrap_or(reason).to_owned();
    failing.usual = usual;
    let said = failing.said().unwrap_or_default().concat();
    let lines: Vec<&[u8]> = said.split(|byte| *byte == b'\n').collect();
    let told = suite::said_of_failure(&lines).map(|line| format!(": {line}")).unwrap_or_default();
    failing.reason = Some(format!("{end}{told}"));
}

/// How the reason of a test begins that fails by the status it exits with.
const STATUS: &str = "exit status ";

/// The end of a test, from its verdict in words: the verdict, and the signal or exit status where the reason is one.
fn end_of(text: &str) -> (&str, &str) {
    let (verdict, reason) = text.split_once(": ").unwrap_or((text, ""));
    let is_end = reason.starts_with("killed by ") || reason.starts_with(STATUS);
    let end = reason.split([':', ',', ';']).next().unwrap_or_default();
    (verdict, if is_end { end } else { "" })
}

/// The share of the time that is left, at most, which is for finding out in what two runs of a test differ.
const PARTING: u32 = 4;

/// What is other in two runs of the failing test: a run that does not go the same way twice can be compared, but not be repeated with a patch. Values that
/// are others each time (times, process ids) matter only if it goes another way for them, or writes something else.
pub fn unsteady(
    room: &RecordingRoom<'_>,
    test: &Test,
    [recorded, again]: [&RecordedTest; 2],
    until: Instant,
) -> Result<Option<String>, Obstacle> {
    let told = |side: &RecordedTest| (side.verdict, side.written.clone());
    let is_told_alike = told(again) == told(recorded);
    let recordings = [&recorded.recording, &again.recording];
    if is_told_alike && recordings[0].stream().end() == recordings[1].stream().end() {
        return Ok(None);
    }
    let bytes = recordings.iter().map(|one| one.stream().end()).sum();
    let (now, left) = (Instant::now(), until.saturating_duration_since(Instant::now()) / PARTING);
    let not_looked_at = format!(
        "{} does not record the same each time it runs, and what is other was not looked at, for that takes long; steps that could be proved may \
         look as if they could not",
        test.name
    );
    if room.reading(bytes) > left {
        return Ok(Some(not_looked_at));
    }
    let loaded = room.code(&recordings)?;
    let (program, code) = &*loaded;
    let Ok(parting) = parting(code, recordings, Deadline::at(now + left)) else { return Ok(Some(not_looked_at)) };
    let what = match parting {
        None if is_told_alike => return Ok(None),
        None => "it writes something else".to_owned(),
        Some(site) => match code.step_of(site).map(|step| code.steps[step as usize].place) {
            Some(place) => format!("from {}:{} on it goes another way", program.files[place.file as usize], place.line),
            None => "it goes another way".to_owned(),
        },
    };
    Ok(Some(format!(
        "{} does not do the same each time it runs ({what}); steps that could be proved may look as if they could not",
        test.name
    )))
}
