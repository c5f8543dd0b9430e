//! The names of system calls.

use isotherm_frame::Series;

/// Numbers and names of those that every machine has.
macro_rules! calls {
    ($($constant:ident $name:literal),* $(,)?) => {
        &[$((libc::$constant, $name)),*]
    };
}

const CALLS: &[(libc::c_long, &str)] = calls![
    SYS_read "read", SYS_write "write", SYS_pread64 "pread64", SYS_pwrite64 "pwrite64",
    SYS_readv "readv", SYS_writev "writev", SYS_preadv "preadv", SYS_pwritev "pwritev",
    SYS_preadv2 "preadv2", SYS_pwritev2 "pwritev2", SYS_openat "openat", SYS_close "close",
    SYS_lseek "lseek", SYS_fsync "fsync", SYS_fdatasync "fdatasync",
    SYS_sync_file_range "sync_file_range", SYS_syncfs "syncfs", SYS_fallocate "fallocate",
    SYS_ftruncate "ftruncate", SYS_fstat "fstat", SYS_statx "statx", SYS_getdents64 "getdents64",
    SYS_unlinkat "unlinkat", SYS_renameat2 "renameat2", SYS_mkdirat "mkdirat",
    SYS_faccessat "faccessat", SYS_faccessat2 "faccessat2", SYS_fcntl "fcntl", SYS_flock "flock",
    SYS_fadvise64 "fadvise64", SYS_copy_file_range "copy_file_range", SYS_sendfile "sendfile",
    SYS_splice "splice", SYS_ioctl "ioctl", SYS_pipe2 "pipe2", SYS_dup3 "dup3", SYS_mmap "mmap",
    SYS_munmap "munmap", SYS_mremap "mremap", SYS_mprotect "mprotect", SYS_madvise "madvise",
    SYS_brk "brk", SYS_futex "futex", SYS_nanosleep "nanosleep",
    SYS_clock_nanosleep "clock_nanosleep", SYS_clock_gettime "clock_gettime",
    SYS_sched_yield "sched_yield", SYS_epoll_ctl "epoll_ctl", SYS_epoll_pwait "epoll_pwait",
    SYS_ppoll "ppoll", SYS_pselect6 "pselect6", SYS_socket "socket", SYS_connect "connect",
    SYS_accept4 "accept4", SYS_bind "bind", SYS_listen "listen", SYS_sendto "sendto",
    SYS_recvfrom "recvfrom", SYS_sendmsg "sendmsg", SYS_recvmsg "recvmsg",
    SYS_sendmmsg "sendmmsg", SYS_recvmmsg "recvmmsg", SYS_shutdown "shutdown",
    SYS_setsockopt "setsockopt", SYS_getsockopt "getsockopt", SYS_io_submit "io_submit",
    SYS_io_getevents "io_getevents", SYS_io_uring_setup "io_uring_setup",
    SYS_io_uring_enter "io_uring_enter", SYS_semop "semop", SYS_semtimedop "semtimedop",
    SYS_clone "clone", SYS_clone3 "clone3", SYS_execve "execve", SYS_wait4 "wait4",
    SYS_exit "exit", SYS_exit_group "exit_group", SYS_kill "kill", SYS_tgkill "tgkill",
    SYS_rt_sigaction "rt_sigaction", SYS_rt_sigprocmask "rt_sigprocmask",
    SYS_rt_sigtimedwait "rt_sigtimedwait", SYS_getrandom "getrandom", SYS_getpid "getpid",
    SYS_gettid "gettid", SYS_rseq "rseq", SYS_membarrier "membarrier",
];

/// Those of older days, which newer kinds of machines do not have.
#[cfg(target_arch = "x86_64")]
const OLDER: &[(libc::c_long, &str)] = calls![
    SYS_open "open", SYS_stat "stat", SYS_lstat "lstat", SYS_access "access", SYS_poll "poll",
    SYS_select "select", SYS_epoll_wait "epoll_wait", SYS_accept "accept", SYS_pipe "pipe",
    SYS_fork "fork", SYS_vfork "vfork", SYS_unlink "unlink", SYS_rename "rename",
    SYS_getdents "getdents", SYS_newfstatat "newfstatat",
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[(libc::c_long, &str)] = &[];

/// The series of the call of this number.
pub(super) fn series(key: &str) -> Option<Series> {
    let number: libc::c_long = key.parse().ok()?;
    let known = CALLS.iter().chain(OLDER).find(|(known, _)| *known == number);
    Some(match known {
        Some((_, name)) => Series::named(*name),
        None => Series::named(format!("system call {number}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_their_names_and_others_their_numbers() {
        let name = |number: libc::c_long| series(&number.to_string()).unwrap().full();
        assert_eq!(name(libc::SYS_pread64), "pread64");
        assert_eq!(name(100_000), "system call 100000");
        assert_eq!(series("x"), None);
    }
}
