//! What does a backup do to the reads of a database?

mod band;
mod copy;
mod measure;
mod report;
mod timing;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};

pub(crate) static LAB: Lab = Lab {
    name: "backup",
    question: "What does a backup do to the reads of a database that it does not stop?",
    method: "Times reads of PostgreSQL, as the server measures them, while all of a table is in the page \
             cache; reads the database's files as a backup does, and lets the kernel forget what it has \
             read; goes on until the cache has filled again",
    lesson: &[
        "A database reads in two speeds: from a cache, in microseconds, and from a device. Its usual mean \
         is made of both, and depends on how much the cache holds.",
        "A backup reads everything once. Where memory is short, the kernel makes room for it and forgets \
         what the database needs. Some backup programs want to be polite, and advise the kernel to forget \
         what they have read (POSIX_FADV_DONTNEED): the kernel then also forgets blocks that the database \
         had in use. The lab does the latter, because it works with any amount of memory.",
        "Afterwards every block has to come from the device once more. The backup is over, and reads are \
         slow: the fast band of the heat map is gone, and returns as slowly as the database reads. Neither \
         the number of reads nor the queue of the device explains it; the distribution shows it at once. \
         Heat maps of latency began with such a story.",
        "PostgreSQL's own cache (shared_buffers) is spared: a sequential scan or COPY uses a small ring of \
         it, and a backup of files does not touch it. So look at the page cache: fincore shows which part \
         of a file it holds.",
        "What helps: a backup from a replica or a snapshot on other memory, a limit on the memory that the \
         backup may use (cgroup), direct I/O in the backup, pg_prewarm afterwards.",
    ],
    needs: "Linux, a disk (not tmpfs) for temporary files and PostgreSQL: one that is installed here is started \
            for the run, or --server names one of this machine; fincore (util-linux) to see what the cache \
            holds",
    takes: (Nanos::from_millis(7_000), Nanos::from_millis(20_000)),
    disk: 512 << 20,
    takes_events: false,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It needs a superuser and the server's own machine. It reads all files of the database at the \
               address, up to 8 GiB, and lets the kernel forget them: whoever uses that database reads from \
               the device until the cache has filled again. It makes one checkpoint.",
        disturbs: true,
        oracle: "the files of the database, which ASM and most installations keep from others; `isotherm live oracle://` \
                 during a backup shows the band of the cache vanish",
    }),
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let server = Server::ready(bench)?;
    let course = measure::measured(&server, bench)?;
    report::finding(&course, &server)
}
