//! What the probe says about itself.

use isotherm_formats::{Counting, Meta, Need};

pub(crate) static PROBE: Meta = Meta {
    name: "probe",
    address: "probe:PATH",
    about: "The disk under a directory: isotherm reads (or, with --write, writes and syncs) a \
            random block of a scratch file, 64 times a second, one block at a time",
    needs: &[Need {
        what: "a directory with room for a file of 64 MiB",
        how: "choose one you can write to; the size is an option",
    }],
    command: "isotherm live probe:.",
    overhead: "The scratch file of 64 MiB is written once. After that, the device serves 64 reads \
               of 8 KiB a second, and isotherm uses 0.5 % of one core, nearly all of it in the \
               kernel (106 ms for 1,280 reads, measured over 20 s in a virtual machine with 2 \
               cores, Linux 6.18). The file is unlinked before it is filled, so nothing is left \
               behind, not even after kill -9.",
    loses: "How long the machine's other work waits: the probe shows how long one more small read \
            would have waited. Stalls that begin and end between two reads. Reads that are due \
            while another one is still running are skipped and counted, so a stall weighs less \
            than its length. In memory (tmpfs), and where the file system refuses direct I/O, the \
            probe does not measure the device, and a warning says so. If the scratch file fits \
            into a cache of the device, the cache answers the reads.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
$ isotherm live probe:. | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <32.8µs  131µs   524µs       >4.19ms  note
09:19:38   64.0  0.0155  229–246µs  328–360µs           ░░▒█▓░
09:19:39   64.0  0.0126  197–213µs  295–328µs        ░░▒▒▒▓▓░
09:19:40   64.0  0.0133  197–213µs  328–360µs          ▒▓▒▒▓▓░
09:19:41   64.0  0.0126  180–197µs  295–328µs          ▒▒▒▓▓▒
",
    interpretation: "Each of the 64 reads a second took about 0.2 ms and none much longer than 0.3 \
                     ms: a fast device without a queue. The probe itself occupied the device for \
                     about 1 % of the time (0.013 waiting).",
};
