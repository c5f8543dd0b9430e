//! Partitions of disks.

use crate::{Note, Sink};

/// The disks of a report so far: the requests of a partition are in those of its disk.
#[derive(Debug, Default)]
pub(crate) struct Disks {
    names: Vec<String>,
    /// The first partition that was met.
    partition: Option<String>,
}

impl Disks {
    /// Another report begins.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
    }

    /// Whether a device is a partition of a disk that came before it, and so is left out.
    pub(crate) fn leaves_out(&mut self, device: &str, sink: &mut dyn Sink) -> bool {
        if !self.names.iter().any(|disk| is_partition_of(device, disk)) {
            if !self.names.iter().any(|disk| disk == device) {
                self.names.push(device.to_owned());
            }
            return false;
        }
        if self.partition.is_none() {
            self.partition = Some(device.to_owned());
            let words = format!(
                "partitions are left out, {device} is one: their requests are in those of their disk"
            );
            sink.note(Note::Assumed(words.into()));
        }
        sink.note(Note::Ignored);
        true
    }
}

/// Whether a device is a part of a disk, as Linux names them: `sda1` of `sda`, `nvme0n1p1` of `nvme0n1`.
pub fn is_partition_of(device: &str, disk: &str) -> bool {
    let Some(rest) = device.strip_prefix(disk) else { return false };
    let numbered = disk.ends_with(|c: char| c.is_ascii_digit());
    let lettered = disk.ends_with(|c: char| c.is_ascii_alphabetic());
    let number = if numbered { rest.strip_prefix('p') } else { Some(rest).filter(|_| lettered) };
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_named_as_the_kernel_does() {
        for (device, disk) in [("sda1", "sda"), ("nvme0n1p12", "nvme0n1"), ("vda3", "vda")] {
            assert!(is_partition_of(device, disk), "{device}");
        }
        let others =
            [("sdab", "sda"), ("loop10", "loop1"), ("sda", "sda"), ("nvme0n11", "nvme0n1")];
        for (device, disk) in others.into_iter().chain([("dm-1", "dm-")]) {
            assert!(!is_partition_of(device, disk), "{device}");
        }
    }
}
