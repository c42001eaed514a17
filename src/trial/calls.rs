//! System calls that a fork cannot keep apart, in words.

/// What a program does that makes system call number `call`, as a fragment whose subject is the program.
pub fn words(call: u32) -> String {
    let doing = match i64::from(call) {
        libc::SYS_open | libc::SYS_openat | libc::SYS_openat2 | libc::SYS_creat => "it opens a file for writing",
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => "it starts a process or a thread",
        libc::SYS_execve | libc::SYS_execveat => "it executes another program",
        libc::SYS_socket | libc::SYS_socketpair => "it opens a socket",
        libc::SYS_pipe | libc::SYS_pipe2 => "it makes a pipe",
        libc::SYS_setitimer | libc::SYS_alarm | libc::SYS_timer_create | libc::SYS_timerfd_create => "it sets a timer",
        libc::SYS_kill
        | libc::SYS_tkill
        | libc::SYS_tgkill
        | libc::SYS_rt_sigqueueinfo
        | libc::SYS_pidfd_send_signal => "it sends a signal to another process",
        libc::SYS_mmap => "it shares memory",
        libc::SYS_shmget | libc::SYS_shmat | libc::SYS_memfd_create => "it shares memory",
        libc::SYS_lseek | libc::SYS_pwrite64 | libc::SYS_ftruncate => "it moves about in its output",
        libc::SYS_unlink | libc::SYS_unlinkat | libc::SYS_rmdir => "it removes a file",
        libc::SYS_rename | libc::SYS_renameat | libc::SYS_renameat2 => "it renames a file",
        libc::SYS_mkdir | libc::SYS_mkdirat => "it makes a directory",
        libc::SYS_rt_sigaction => "it handles SIGSYS",
        libc::SYS_prctl | libc::SYS_seccomp => "it changes what its process may do",
        libc::SYS_setrlimit | libc::SYS_prlimit64 => "it changes its limits",
        libc::SYS_setsid | libc::SYS_setpgid => "it leaves its group of processes",
        libc::SYS_io_uring_setup | libc::SYS_io_setup => "it reads or writes in the background",
        libc::SYS_epoll_create | libc::SYS_epoll_create1 | libc::SYS_eventfd2 | libc::SYS_inotify_init1 => {
            "it waits for events"
        }
        libc::SYS_ioctl => "it controls a device",
        libc::SYS_fcntl | libc::SYS_flock => "it locks a file or changes how one is open",
        0 => {
            "it blocks all signals and makes a call that a fork does not keep apart, as `system` does to start a process"
        }
        _ => return format!("it makes system call {call}, which a fork does not keep apart"),
    };
    doing.into()
}
