//! A filter that refuses calls no test needs and no mutant may make.

use std::io;
use std::mem::offset_of;

use super::Held;

/// A filter, ready to be installed.
#[derive(Debug)]
pub(in crate::trial) struct Filter {
    program: Vec<libc::sock_filter>,
    /// Instructions that compare with the process's own id.
    own_id: Vec<usize>,
}

impl Filter {
    /// What the worker and all that it starts are refused.
    pub(super) fn of_worker(held: Held) -> Filter {
        let mut filter = Filter::begin();
        filter.refuse(&ALWAYS);
        if !held.objects {
            filter.refuse(&OBJECTS);
        }
        // Children may ask to be traced; nobody may take hold of others.
        filter.argument_is(libc::SYS_ptrace, &[libc::PTRACE_ATTACH, libc::PTRACE_SEIZE], REFUSED, None);
        if !held.pids {
            // Whom it may signal may be decided elsewhere; never everybody.
            filter.argument_is(libc::SYS_kill, &[u32::MAX], REFUSED, None);
        }
        filter.end()
    }

    /// What trials are refused and the worker needs itself, where it is not held otherwise: to change files' attributes, which copying
    /// does; to signal others than themselves, which ending them does.
    pub(super) fn of_trial(held: Held) -> Option<Filter> {
        let mut filter = Filter::begin();
        if !held.attributes {
            filter.refuse(&ATTRIBUTES);
        }
        if !held.signals {
            filter.refuse(&[libc::SYS_pidfd_send_signal]);
            for call in SIGNALLING {
                filter.argument_is(call, &[0, OWN_ID], libc::SECCOMP_RET_ALLOW, Some(REFUSED));
            }
        }
        (!held.attributes || !held.signals).then(|| filter.end())
    }

    /// Refuses the calls with EPERM, to the calling process and all that it starts. Makes two system calls and nothing else.
    pub(in crate::trial) fn install(&mut self) -> io::Result<()> {
        for at in &self.own_id {
            // SAFETY: asks for an id.
            self.program[*at].k = unsafe { libc::getpid() } as u32;
        }
        let filter = libc::sock_fprog { len: self.program.len() as u16, filter: self.program.as_mut_ptr() };
        // SAFETY: the program outlives the call, which copies it.
        match unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Other variants of the machine are refused.
    fn begin() -> Filter {
        let mut filter = Filter { program: Vec::new(), own_id: Vec::new() };
        filter.add(LOAD, offset_of!(libc::seccomp_data, arch) as u32, 0, 0);
        filter.add(IF_EQUAL, ARCHITECTURE, 1, 0);
        filter.add(RETURN, REFUSED, 0, 0);
        filter.add(LOAD, offset_of!(libc::seccomp_data, nr) as u32, 0, 0);
        filter.add(IF_AT_LEAST, OTHER_VARIANT, 0, 1);
        filter.add(RETURN, REFUSED, 0, 0);
        filter
    }

    fn add(&mut self, code: u16, k: u32, jt: u8, jf: u8) {
        self.program.push(libc::sock_filter { code, jt, jf, k });
    }

    fn refuse(&mut self, calls: &[libc::c_long]) {
        for call in calls {
            self.add(IF_EQUAL, *call as u32, 0, 1);
            self.add(RETURN, REFUSED, 0, 0);
        }
    }

    /// What happens to a call whose first argument's low half is one of `values`, and to others of it if that is given.
    fn argument_is(&mut self, call: libc::c_long, values: &[u32], then: u32, otherwise: Option<u32>) {
        let steps = 1 + 2 * values.len() as u8 + 1;
        self.add(IF_EQUAL, call as u32, 0, steps);
        self.add(LOAD, offset_of!(libc::seccomp_data, args) as u32, 0, 0);
        for value in values {
            if *value == OWN_ID {
                self.own_id.push(self.program.len());
            }
            self.add(IF_EQUAL, *value, 0, 1);
            self.add(RETURN, then, 0, 0);
        }
        self.add(RETURN, otherwise.unwrap_or(libc::SECCOMP_RET_ALLOW), 0, 0);
    }

    fn end(mut self) -> Filter {
        self.add(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0);
        self
    }
}

/// Stands for the process's own id, which is larger than none and less than any such.
const OWN_ID: u32 = 0x7fff_fff0;

/// Calls that signal the process, or group of one, of their first argument.
const SIGNALLING: [libc::c_long; 5] =
    [libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];

const ALWAYS: [libc::c_long; 48] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_init_module,
    libc::SYS_io_uring_setup,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_writev,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_socket,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
];

/// Change what Landlock leaves alone.
const ATTRIBUTES: [libc::c_long; 19] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    libc::SYS_utime,
    libc::SYS_utimensat,
    libc::SYS_utimes,
    SETXATTRAT,
];

const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;

/// Make objects that outlive the processes.
const OBJECTS: [libc::c_long; 4] = [libc::SYS_mq_open, libc::SYS_msgget, libc::SYS_semget, libc::SYS_shmget];

const ARCHITECTURE: u32 = 0xc000_003e;
/// Numbers from here on are of the x32 variant.
const OTHER_VARIANT: u32 = 0x4000_0000;
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_may_not_signal_others_still_signal_themselves() {
        let mut filter = Filter::of_trial(Held::default()).unwrap();
        // SAFETY: the child makes system calls only and ends.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                let installed = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter.install().is_ok();
                let own = libc::getpid();
                let allowed = libc::kill(own, 0) == 0 && libc::kill(0, 0) == 0;
                let allowed = allowed && libc::syscall(libc::SYS_tgkill, own, own, 0) == 0;
                let refused = |answer: i32| answer == -1 && *libc::__errno_location() == libc::EPERM;
                let held = refused(libc::kill(libc::getppid(), 0)) && refused(libc::kill(-1, 0));
                let held = held && refused(libc::chmod(c"/proc/self/exe".as_ptr(), 0o755));
                libc::_exit(i32::from(!(installed && allowed && held)));
            }
            let mut status = 0;
            libc::waitpid(child, &mut status, 0);
            assert_eq!(status, 0);
        }
    }
}
