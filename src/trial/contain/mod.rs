//! What a worker gives up before it runs anything: once, for itself and all that it starts.
//!
//! | danger | held off by |
//! |---|---|
//! | writing, removing, renaming files outside the scratch directory | Landlock; a mount namespace in which all else is read-only, with a `/tmp` of its own |
//! | changing their modes, owners, times, attributes | that mount namespace; without it the calls are refused |
//! | signals to other processes | a process namespace; Landlock's scope; without both they are refused |
//! | connections | no sockets but pairs |
//! | shared memory and queues of System V | a namespace, or the calls are refused |
//! | mounting, tracing, clocks, modules, keys, ... | refused |
//! | cores, huge files, memory | limits |
//! | fork bombs | a look at the number of processes now and then; a limit where those of the namespace are counted apart |

mod landlock;
mod namespaces;
mod private_tmp;
mod seccomp;

use std::path::{Path, PathBuf};

use super::frame::Cover;
pub(super) use private_tmp::PrivateTmp;
pub(super) use seccomp::Filter;

/// What holds a worker's trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Files outside the scratch directory cannot be written.
    pub files: bool,
    /// Directories can be covered, and the one that was to be is.
    pub covers: bool,
    /// Nor can their modes, times and so on.
    pub attributes: bool,
    /// Processes outside cannot be signalled.
    pub signals: bool,
    /// Processes have a namespace of their own.
    pub pids: bool,
    /// System V's objects have a namespace of their own.
    pub objects: bool,
    /// Calls can be filtered.
    pub calls: bool,
}

impl Held {
    /// What each trial's process is refused besides.
    pub(super) fn filter(self) -> Option<Filter> {
        Filter::of_trial(self)
    }

    /// What is missing, as sentences.
    pub(super) fn missing(self) -> Vec<String> {
        let all = [
            (
                self.files,
                "files outside the scratch directory can be written: neither Landlock nor a mount namespace is to be had",
            ),
            (self.calls, "system calls cannot be filtered: the kernel has no seccomp"),
        ];
        all.iter().filter(|(held, _)| !held).map(|(_, text)| (*text).to_owned()).collect()
    }
}

/// Processes of the users of a namespace.
const MOST_PROCESSES: u64 = 1024;

/// Makes the calling process, which has one thread, a contained one that can write below `writable` alone, where a directory is covered, and in a `/tmp`
/// of its own, for which there is the empty directory `tmp`. May return in a child of the caller, which then waits for it and ends as it does.
pub(super) fn enter(writable: &[PathBuf], tmp: &Path, cover: Option<&Cover>) -> (Held, Option<PrivateTmp>) {
    let mut held = Held::default();
    let entered = namespaces::enter(writable, tmp, cover);
    (held.files, held.attributes, held.covers) = (entered.files, entered.files, entered.covers);
    (held.signals, held.pids, held.objects) = (entered.pids, entered.pids, entered.objects);
    // SAFETY: settings of this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::setsid();
        // Containers may refuse it; addresses then differ between runs, and more nodes are not observed.
        let persona = libc::personality(0xffff_ffff);
        if persona >= 0 {
            libc::personality((persona | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong);
        }
        for signal in 1..65 {
            libc::signal(signal, libc::SIG_DFL);
        }
        if entered.users {
            libc::setrlimit(libc::RLIMIT_NPROC, &libc::rlimit { rlim_cur: MOST_PROCESSES, rlim_max: MOST_PROCESSES });
        }
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
    }
    let covered = cover.filter(|_| entered.covers).map(|cover| &*cover.directory);
    let tmp = entered.tmp.iter().map(|_| Path::new(private_tmp::TMP));
    let landlock = landlock::restrict(writable.iter().map(|path| &**path).chain(covered).chain(tmp));
    held.files |= landlock.files;
    held.signals |= landlock.signals;
    held.calls = Filter::of_worker(held).install().is_ok();
    (held, entered.tmp)
}
