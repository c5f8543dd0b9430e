//! What is known of a file and its device before it is loaded.

use std::fs;

use isotherm_frame::{numbers, percent};

use super::device::{Device, Kernel};
use super::method::Method;
use super::target::Target;
use super::{holes, pages};
use crate::FileOptions;
use crate::KnownFact;

type Facts = Vec<(String, String)>;

/// The facts, in the order to be shown.
pub(super) fn all(target: &Target, options: &FileOptions, method: &Method) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name: &str, text: String| facts.push((name.to_owned(), text));
    add("path", target.path.display().to_string());
    add("working set", working_set(target));
    add("block", numbers::bytes(options.block));
    add("method", method_words(method));
    let cache = if options.direct { "bypassed (O_DIRECT)" } else { "used" };
    add("page cache", cache.to_owned());
    if options.dsync {
        add("writes", "end on stable storage (O_DSYNC)".to_owned());
    }
    add("buffers", pages::words(options.huge_pages));
    let origin = if target.origin.is_some() { "isotherm" } else { "somebody else" };
    add("made by", origin.to_owned());
    let kernel = Kernel::here();
    if let Some(mount) = kernel.mount(target.number).filter(|_| !target.is_device) {
        add("filesystem", format!("{} on {}", mount.kind, mount.point));
    }
    if let Some(device) = target.device() {
        for (name, text) in of_device(&device) {
            add(name, text);
        }
    }
    for (name, text) in of_machine() {
        add(name, text);
    }
    if let Some(text) = sparse(target) {
        add(KnownFact::Sparse.name(), text);
    }
    facts
}

fn working_set(target: &Target) -> String {
    let used = numbers::bytes(target.used);
    if target.used == target.length {
        return used;
    }
    format!("{used} of {}", numbers::bytes(target.length))
}

fn method_words(method: &Method) -> String {
    match method {
        #[cfg(feature = "uring")]
        Method::Uring { registered, chunks } => {
            let held = if *registered {
                "file and buffers registered"
            } else {
                "file registered, buffers not (the limit of locked memory, ulimit -l, is too low)"
            };
            format!(
                "io_uring, {held}, submitted in batches of {}, then {}",
                chunks.first, chunks.then
            )
        }
        Method::Sync { why: None } => "pread and pwrite, a thread for each in flight".to_owned(),
        Method::Sync { why: Some(why) } => {
            format!("pread and pwrite, a thread for each in flight; no io_uring: {why}")
        }
    }
}

fn of_device(device: &Device) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let of = device.whole_name().map(|whole| format!(", a partition of {whole}"));
    let made_of = device.made_of();
    let on = (!made_of.is_empty()).then(|| format!(", made of {}", made_of.join(", ")));
    let name = &device.name;
    facts.push(("device", format!("{name}{}{}", of.unwrap_or_default(), on.unwrap_or_default())));
    for (name, attribute) in [
        ("model", "device/model"),
        ("scheduler", "queue/scheduler"),
        ("device queue limit", "queue/nr_requests"),
    ] {
        facts.extend(device.attribute(attribute).map(|text| (name, text)));
    }
    let rotational = device.attribute("queue/rotational");
    let rotational = rotational.map(|flag| if flag == "1" { "yes" } else { "no" }.to_owned());
    facts.extend(rotational.map(|text| (KnownFact::Rotational.name(), text)));
    facts
}

fn of_machine() -> Vec<(&'static str, String)> {
    let system = rustix::system::uname();
    let kernel =
        format!("{} {}", system.sysname().to_string_lossy(), system.release().to_string_lossy());
    let governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let governor = fs::read_to_string(governor).ok().map(|text| text.trim().to_owned());
    let mut facts = vec![("kernel", kernel)];
    facts.extend(governor.map(|governor| ("cpu governor", governor)));
    facts
}

/// What is not on the device, if anything is not: reading it is not measured as if it were.
fn sparse(target: &Target) -> Option<String> {
    let holes = if target.is_device { 0 } else { holes::below(&target.file, target.used) };
    let share = percent(holes as f64 / target.used as f64);
    (holes > 0).then(|| format!("{share} of the working set, {}", numbers::bytes(holes)))
}
