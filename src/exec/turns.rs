//! The numbers of the starts of programs in a driver.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::kept::Start;

/// Starts of a driver that are kept; the program runs by itself from there on.
pub const MOST_STARTS: usize = 5000;
/// Starts that may take each other's turn, at most: programs of one pipe begin in any order.
const MOST_BESIDE: usize = 8;
/// The file with the number of starts.
const COUNT: &str = "count";
/// The file of a start with the length of the driver's log when it began.
const AT: &str = "at";
/// The file of a start that began before the one before it had ended.
const BESIDE: &str = "beside";

/// Has a directory have no starts yet.
pub fn begin(directory: &Path) -> io::Result<()> {
    fs::write(directory.join(COUNT), "0")
}

/// The directory of one start.
pub fn start_directory(directory: &Path, number: usize) -> PathBuf {
    directory.join(number.to_string())
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
        fs::write(own.join(BESIDE), "")?;
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
    let is_beside = |number: &usize| start_directory(kept, *number).join(BESIDE).exists();
    let others = (next + 1..next + MOST_BESIDE).take_while(is_beside);
    let mut all = std::iter::once(next).chain(others).filter(is_free).peekable();
    all.peek()?;
    let has_command = |number: &usize| {
        let text = fs::read(start_directory(kept, *number).join(Start::DESCRIPTION)).ok();
        text.and_then(|text| serde_json::from_slice::<Start>(&text).ok()).is_some_and(|start| start.argv == argv)
    };
    all.find(has_command)
}

/// Says how long the driver's log is when a start begins.
pub fn mark(own: &Path, length: u64) -> io::Result<()> {
    fs::write(own.join(AT), length.to_string())
}

/// For each start of a directory, the length of the driver's log when it began; that of the next one where it did not.
pub fn marks(directory: &Path) -> io::Result<Vec<usize>> {
    let count = fs::read_to_string(directory.join(COUNT))?;
    let count: usize = count.trim().parse().map_err(io::Error::other)?;
    let mut next = usize::MAX;
    let mut marks = Vec::new();
    for number in (0..count.min(MOST_STARTS)).rev() {
        if let Ok(text) = fs::read_to_string(start_directory(directory, number).join(AT)) {
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
    fn a_start_that_is_missing_has_the_mark_of_the_next_one() {
        let place = kept(&["a", "b", "c"]);
        for (number, length) in [(0, 3), (2, 9)] {
            mark(&start_directory(place.path(), number), length).unwrap();
        }
        assert_eq!(marks(place.path()).unwrap(), [3, 9, 9]);
    }
}
