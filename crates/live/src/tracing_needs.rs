//! What sources that trace the kernel need.

use isotherm_formats::Need;

pub(crate) const BPFTRACE: Need = Need {
    what: "bpftrace",
    how: "apt install bpftrace (Debian, Ubuntu), dnf install bpftrace (Fedora, RHEL)",
};

pub(crate) const PRIVILEGE: Need = Need {
    what: "root, or CAP_BPF and CAP_PERFMON with a bpftrace that accepts them (0.17 does not)",
    how: "sudo isotherm live ...",
};

pub(crate) const TRACEFS: Need = Need {
    what: "the kernel's tracepoints in /sys/kernel/tracing",
    how: "sudo mount -t tracefs tracefs /sys/kernel/tracing, if that folder is empty",
};
