//! Numbers of system calls on x86-64, of those that wait for something.

/// Numbers in order, with their names.
const CALLS: &[(u32, &str)] = &[
    (0, "read"),
    (1, "write"),
    (2, "open"),
    (3, "close"),
    (4, "stat"),
    (5, "fstat"),
    (6, "lstat"),
    (7, "poll"),
    (8, "lseek"),
    (9, "mmap"),
    (10, "mprotect"),
    (11, "munmap"),
    (16, "ioctl"),
    (17, "pread64"),
    (18, "pwrite64"),
    (19, "readv"),
    (20, "writev"),
    (21, "access"),
    (23, "select"),
    (24, "sched_yield"),
    (26, "msync"),
    (27, "mincore"),
    (28, "madvise"),
    (35, "nanosleep"),
    (40, "sendfile"),
    (42, "connect"),
    (43, "accept"),
    (44, "sendto"),
    (45, "recvfrom"),
    (46, "sendmsg"),
    (47, "recvmsg"),
    (57, "fork"),
    (60, "exit"),
    (61, "wait4"),
    (65, "semop"),
    (69, "msgsnd"),
    (70, "msgrcv"),
    (72, "fcntl"),
    (73, "flock"),
    (74, "fsync"),
    (75, "fdatasync"),
    (76, "truncate"),
    (77, "ftruncate"),
    (78, "getdents"),
    (82, "rename"),
    (83, "mkdir"),
    (84, "rmdir"),
    (85, "creat"),
    (86, "link"),
    (87, "unlink"),
    (162, "sync"),
    (187, "readahead"),
    (202, "futex"),
    (206, "io_setup"),
    (207, "io_destroy"),
    (208, "io_getevents"),
    (209, "io_submit"),
    (210, "io_cancel"),
    (217, "getdents64"),
    (220, "semtimedop"),
    (221, "fadvise64"),
    (230, "clock_nanosleep"),
    (231, "exit_group"),
    (232, "epoll_wait"),
    (233, "epoll_ctl"),
    (247, "waitid"),
    (257, "openat"),
    (262, "newfstatat"),
    (263, "unlinkat"),
    (264, "renameat"),
    (270, "pselect6"),
    (271, "ppoll"),
    (275, "splice"),
    (276, "tee"),
    (277, "sync_file_range"),
    (278, "vmsplice"),
    (281, "epoll_pwait"),
    (285, "fallocate"),
    (288, "accept4"),
    (295, "preadv"),
    (296, "pwritev"),
    (299, "recvmmsg"),
    (306, "syncfs"),
    (307, "sendmmsg"),
    (310, "process_vm_readv"),
    (319, "memfd_create"),
    (326, "copy_file_range"),
    (327, "preadv2"),
    (328, "pwritev2"),
    (332, "statx"),
    (425, "io_uring_setup"),
    (426, "io_uring_enter"),
    (427, "io_uring_register"),
    (441, "epoll_pwait2"),
];

/// The name of a system call of x86-64; `None` of one that is not listed.
pub(super) fn name(number: u32) -> Option<&'static str> {
    let at = CALLS.binary_search_by_key(&number, |(number, _)| *number).ok()?;
    CALLS.get(at).map(|(_, name)| *name)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_system() {
        let of = |number: libc::c_long| name(u32::try_from(number).unwrap());
        assert_eq!(of(libc::SYS_read), Some("read"));
        assert_eq!(of(libc::SYS_pread64), Some("pread64"));
        assert_eq!(of(libc::SYS_fdatasync), Some("fdatasync"));
        assert_eq!(of(libc::SYS_io_getevents), Some("io_getevents"));
        assert_eq!(of(libc::SYS_io_uring_enter), Some("io_uring_enter"));
        assert_eq!(name(100_000), None);
        assert!(CALLS.is_sorted());
    }
}
