//! A filter that refuses calls no test needs and no mutant may make.

use std::io;
use std::mem::offset_of;

use super::Held;

/// A filter, ready to be installed.
#[derive(Debug)]
pub(in crate::trial) struct Filter(Vec<libc::sock_filter>);

impl Filter {
    /// What the worker and all that it starts are refused.
    pub(super) fn of_worker(held: Held) -> Filter {
        let mut calls = ALWAYS.to_vec();
        if !held.objects {
            calls.extend(OBJECTS);
        }
        Filter(program(&calls, !held.pids))
    }

    /// What trials are refused, and the worker needs to make copies, where no namespace protects files' attributes.
    pub(super) fn of_attributes() -> Filter {
        Filter(program(&ATTRIBUTES, false))
    }

    /// Refuses the calls with EPERM, to the calling process and all that it starts. Makes one system call and nothing else.
    pub(in crate::trial) fn install(&self) -> io::Result<()> {
        let filter = libc::sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut() };
        // SAFETY: the program outlives the call, which copies it.
        match unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

const ALWAYS: [libc::c_long; 49] = [
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
    libc::SYS_ptrace,
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

fn step(code: u16, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

/// The filter: refuses `calls`, other variants of the machine, and `kill(-1)` if asked to.
fn program(calls: &[libc::c_long], kill_all: bool) -> Vec<libc::sock_filter> {
    let mut program = vec![
        step(LOAD, offset_of!(libc::seccomp_data, arch) as u32, 0, 0),
        step(IF_EQUAL, ARCHITECTURE, 1, 0),
        step(RETURN, REFUSED, 0, 0),
        step(LOAD, offset_of!(libc::seccomp_data, nr) as u32, 0, 0),
        step(IF_AT_LEAST, OTHER_VARIANT, 0, 1),
        step(RETURN, REFUSED, 0, 0),
    ];
    for call in calls {
        program.push(step(IF_EQUAL, *call as u32, 0, 1));
        program.push(step(RETURN, REFUSED, 0, 0));
    }
    if kill_all {
        program.push(step(IF_EQUAL, libc::SYS_kill as u32, 0, 3));
        // The low half of the first argument.
        program.push(step(LOAD, offset_of!(libc::seccomp_data, args) as u32, 0, 0));
        program.push(step(IF_EQUAL, u32::MAX, 0, 1));
        program.push(step(RETURN, REFUSED, 0, 0));
    }
    program.push(step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0));
    program
}
