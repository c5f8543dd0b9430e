//! The port that a server has chosen.

use std::collections::HashSet;
use std::fs;

/// The address on which a process accepts connections to this machine, as soon as it does: a server
/// that is to listen on port 0 takes a free port, which nobody else can take before it.
pub(crate) fn address_of(process: u32) -> Option<String> {
    let files = fs::read_dir(format!("/proc/{process}/fd")).ok()?.flatten();
    let sockets: HashSet<String> = files
        .filter_map(|file| {
            let target = fs::read_link(file.path()).ok()?.into_os_string().into_string().ok()?;
            Some(target.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let table = fs::read_to_string(format!("/proc/{process}/net/tcp")).ok()?;
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let is_ours = *state == "0A" && sockets.contains(*inode);
        let port = u16::from_str_radix(local.rsplit(':').next()?, 16).ok()?;
        is_ours.then(|| format!("127.0.0.1:{port}"))
    })
}
