//! What the probe says about itself.

use crate::{Meta, Need};

pub(crate) static PROBE: Meta = Meta {
    name: "probe",
    address: "probe:PATH",
    about: "The disk under a directory, measured by reading (or, with --write, writing and \
            syncing) a block of a scratch file at random, 64 times a second, one at a time",
    needs: &[Need {
        what: "a directory in which a file of 64 MiB may be created",
        how: "name one you can write to; the size is an option",
    }],
    command: "isotherm live probe:.",
    overhead: "Writing the scratch file once, 64 MiB; then 64 reads of 8 KiB a second on the \
               device, and 0.5 % of one core, nearly all of it in the kernel (measured over 20 s \
               in a virtual machine with 2 cores on Linux 6.18: 106 ms for 1,280 reads). The file \
               loses its name before it is filled, so nothing is left behind, not even after \
               kill -9.",
    loses: "What the machine's other work waits for: it shows what one more small read would \
            have waited for. Waits that begin and end between two reads. Reads that are \
            due while another one takes long are skipped and counted, so a stall weighs less \
            than its length. In memory (tmpfs) and where direct I/O is \
            refused, what is measured is not the device, and a warning says so. A scratch file \
            that fits a cache of the device is answered from there.",
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
    interpretation: "Each of the 64 reads in a second took about 0.2 ms and none much longer than \
                     0.3 ms: a fast device without a queue. The 0.013 seconds waited per second \
                     are the probe's own presence on the device, about one per cent of the time.",
};
