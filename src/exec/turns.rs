//! The numbers of the starts of programs in a driver.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::kept::{Reply, Start};

/// Starts of a driver that are kept; the program runs by itself from there on.
pub const MOST_STARTS: usize = 5000;
/// Starts that may take each other's turn, at most: programs of one pipe begin in any order.
const MOST_BESIDE: usize = 8;
/// The file with the number of starts.
const COUNT: &str = "count";
/// The file of a turn with the length of the driver's log when its start began.
const AT: &str = "at";
/// The file of a turn that came before the start of the turn before it had ended.
const BESIDE: &str = "beside";

/// Has a directory have no starts yet.
pub fn begin(directory: &Path) -> io::Result<()> {
    fs::write(directory.join(COUNT), "0")
}

/// The directory of one start.
pub fn start_directory(directory: &Path, number: usize) -> PathBuf {
    directory.join(number.to_string())
}

/// A file of a turn, beside the directory of the start whose turn it is.
fn file_of_turn(directory: &Path, number: usize, file: &str) -> PathBuf {
    directory.join(format!("{number}.{file}"))
}

fn is_beside(directory: &Path, number: usize) -> bool {
    file_of_turn(directory, number, BESIDE).exists()
}

/// The number of this start, from 0, whose directory is made: the next one, or where starts of other runs that are `kept` began beside each other, that of the
/// same command.
pub fn take(directory: &Path, kept: Option<&Path>, argv: &[OsString]) -> io::Result<usize> {
    let file = File::options().read(true).write(true).open(directory.join(COUNT))?;
    let mut file = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let count: usize = text.trim().parse().map_err(io::Error::other)?;
    let is_free = |number: &usize| !start_directory(directory, *number).exists();
    let next = (count.saturating_sub(MOST_BESIDE)..count).find(is_free).unwrap_or(count);
    let number = kept.and_then(|kept| of_command(kept, next, argv, is_free)).unwrap_or(next);
    if number >= MOST_STARTS {
        return Err(io::Error::other("too many starts"));
    }
    let own = start_directory(directory, number);
    fs::create_dir(&own)?;
    if kept.is_none() && number > 0 && !has_ended(&start_directory(directory, number - 1)) {
        fs::write(file_of_turn(directory, number, BESIDE), "")?;
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all((count + 1).to_string().as_bytes())?;
    Ok(number)
}

/// Whether a start that is kept has ended.
fn has_ended(own: &Path) -> bool {
    own.join(Start::DESCRIPTION).exists()
}

/// The first free one of starts beside each other, from the next one on, that has this command.
fn of_command(kept: &Path, next: usize, argv: &[OsString], is_free: impl Fn(&usize) -> bool) -> Option<usize> {
    let others = (next + 1..next + MOST_BESIDE).take_while(|number| is_beside(kept, *number));
    let mut all = std::iter::once(next).chain(others).filter(is_free).peekable();
    all.peek()?;
    let has_command = |number: &usize| {
        let text = fs::read(start_directory(kept, *number).join(Start::DESCRIPTION)).ok();
        text.and_then(|text| serde_json::from_slice::<Start>(&text).ok()).is_some_and(|start| start.argv == argv)
    };
    all.find(has_command)
}

/// Says how long the driver's log is when a start begins.
pub fn mark(directory: &Path, number: usize, length: u64) -> io::Result<()> {
    fs::write(file_of_turn(directory, number, AT), length.to_string())
}

fn n_starts(directory: &Path) -> io::Result<usize> {
    let count = fs::read_to_string(directory.join(COUNT))?;
    let count: usize = count.trim().parse().map_err(io::Error::other)?;
    Ok(count.min(MOST_STARTS))
}

/// Gives each program of a pipe, which begin in any order, a turn behind the one whose output it reads.
pub fn order_pipes(directory: &Path) -> io::Result<()> {
    let (n_starts, mut begin) = (n_starts(directory)?, 0);
    while begin < n_starts {
        let end = (begin + 1..n_starts).find(|number| !is_beside(directory, *number)).unwrap_or(n_starts);
        if (2..=MOST_BESIDE).contains(&(end - begin)) {
            order_pipe(directory, begin..end)?;
        }
        begin = end;
    }
    Ok(())
}

/// Orders some starts that began beside each other.
fn order_pipe(directory: &Path, starts: Range<usize>) -> io::Result<()> {
    let text = |number: usize, file| fs::read(start_directory(directory, number).join(file)).unwrap_or_default();
    let inputs: Vec<Vec<u8>> = starts.clone().map(|number| text(number, Start::INPUT)).collect();
    let outputs: Vec<Vec<u8>> = starts.clone().map(|number| text(number, Reply::OUTPUT)).collect();
    let (mut left, mut order): (Vec<usize>, Vec<usize>) = ((0..starts.len()).collect(), Vec::new());
    while !left.is_empty() {
        let is_fed = |one: usize| {
            !inputs[one].is_empty() && left.iter().any(|other| *other != one && outputs[*other] == inputs[one])
        };
        let first = left.iter().position(|one| !is_fed(*one)).unwrap_or(0);
        order.push(left.remove(first));
    }
    if order.is_sorted() {
        return Ok(());
    }
    let aside = |one: usize| directory.join(format!("{one}.aside"));
    for one in 0..order.len() {
        fs::rename(start_directory(directory, starts.start + one), aside(one))?;
    }
    for (turn, one) in order.into_iter().enumerate() {
        fs::rename(aside(one), start_directory(directory, starts.start + turn))?;
    }
    Ok(())
}

/// For each start of a directory, the length of the driver's log when it began; that of the next one where it did not.
pub fn marks(directory: &Path) -> io::Result<Vec<usize>> {
    let mut next = usize::MAX;
    let mut marks = Vec::new();
    for number in (0..n_starts(directory)?).rev() {
        if let Ok(text) = fs::read_to_string(file_of_turn(directory, number, AT)) {
            next = text.parse().map_err(io::Error::other)?;
        }
        marks.push(next);
    }
    marks.reverse();
    Ok(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// A directory of starts of these commands; those after a bar began beside the ones before.
    fn kept(commands: &[&str]) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        begin(place.path()).unwrap();
        for (number, command) in commands.iter().enumerate() {
            let command = words(command.trim_start_matches("| "));
            assert_eq!(take(place.path(), None, &command).unwrap(), number);
            let is_last_of_pipe = commands.get(number + 1).is_none_or(|next| !next.starts_with('|'));
            if is_last_of_pipe {
                (0..=number).for_each(|number| describe(place.path(), number, commands[number]));
            }
        }
        place
    }

    fn describe(directory: &Path, number: usize, command: &str) {
        let start = Start { argv: words(command.trim_start_matches("| ")), ..Start::default() };
        let file = start_directory(directory, number).join(Start::DESCRIPTION);
        fs::write(file, serde_json::to_vec(&start).unwrap()).unwrap();
    }

    fn taken(kept: &Path, commands: &[&str]) -> Vec<usize> {
        let place = tempfile::tempdir().unwrap();
        begin(place.path()).unwrap();
        commands.iter().map(|command| take(place.path(), Some(kept), &words(command)).unwrap()).collect()
    }

    #[test]
    fn programs_of_a_pipe_have_their_own_numbers_in_any_order() {
        let kept = kept(&["a", "pack x", "| unpack", "b", "c"]);
        assert_eq!(taken(kept.path(), &["a", "pack x", "unpack", "b", "c"]), [0, 1, 2, 3, 4]);
        assert_eq!(taken(kept.path(), &["a", "unpack", "pack x", "b", "c"]), [0, 2, 1, 3, 4]);
        assert_eq!(
            taken(kept.path(), &["a", "unpack", "pack y", "b", "c"]),
            [0, 2, 1, 3, 4],
            "the name of a file is new"
        );
        assert_eq!(taken(kept.path(), &["c", "b", "a"]), [0, 1, 2], "these did not begin beside each other");
    }

    #[test]
    fn programs_of_a_pipe_come_behind_those_that_they_read() {
        let ordered = |commands: &[&str], texts: &[(&str, &str)]| -> Vec<OsString> {
            let kept = kept(commands);
            for (number, (input, output)) in texts.iter().enumerate() {
                let own = start_directory(kept.path(), number);
                fs::write(own.join(Start::INPUT), input).unwrap();
                fs::write(own.join(Reply::OUTPUT), output).unwrap();
            }
            order_pipes(kept.path()).unwrap();
            let start = |number| fs::read(start_directory(kept.path(), number).join(Start::DESCRIPTION)).unwrap();
            let argv = |number| serde_json::from_slice::<Start>(&start(number)).unwrap().argv.remove(0);
            let n_beside = (0..commands.len()).filter(|number| is_beside(kept.path(), *number)).count();
            assert_eq!(n_beside, commands.iter().filter(|command| command.starts_with('|')).count());
            (0..commands.len()).map(argv).collect()
        };
        assert_eq!(
            ordered(&["a", "c", "| b", "| a"], &[("", "x"), ("z", "w"), ("y", "z"), ("x", "y")]),
            ["a", "a", "b", "c"]
        );
        assert_eq!(ordered(&["b", "a"], &[("x", ""), ("", "x")]), ["b", "a"], "not beside each other");
        assert_eq!(ordered(&["b", "| a"], &[("x", "x"), ("x", "x")]), ["b", "a"], "nobody knows");
        assert_eq!(ordered(&["b", "| a"], &[("", ""), ("", "")]), ["b", "a"], "nothing is read");
    }

    #[test]
    fn a_start_that_is_missing_has_the_mark_of_the_next_one() {
        let place = kept(&["a", "b", "c"]);
        for (number, length) in [(0, 3), (2, 9)] {
            mark(place.path(), number, length).unwrap();
        }
        assert_eq!(marks(place.path()).unwrap(), [3, 9, 9]);
    }
}
