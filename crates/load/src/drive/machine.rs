//! What the machine did meanwhile.

use crate::clock;

/// CPU time used so far.
#[derive(Copy, Clone, Debug)]
pub struct Machine {
    process_ns: u64,
    /// All processors, everything but idling, waiting and what a hypervisor took.
    busy_s: Option<f64>,
}

impl Machine {
    /// Reads it.
    pub fn read() -> Machine {
        let stat = std::fs::read_to_string("/proc/stat").ok();
        Machine {
            process_ns: clock::process_cpu_ns(),
            busy_s: stat.as_deref().and_then(busy_ticks).map(|ticks| ticks as f64 / hertz()),
        }
    }

    /// CPU seconds of this process since `earlier`.
    pub fn process_s_since(&self, earlier: &Machine) -> f64 {
        self.process_ns.saturating_sub(earlier.process_ns) as f64 / 1e9
    }

    /// CPU seconds of everything since `earlier`.
    pub fn busy_s_since(&self, earlier: &Machine) -> Option<f64> {
        Some((self.busy_s? - earlier.busy_s?).max(0.0))
    }
}

fn hertz() -> f64 {
    rustix::param::clock_ticks_per_second() as f64
}

/// user + nice + system + irq + softirq of the first line of `/proc/stat` (proc(5)).
fn busy_ticks(stat: &str) -> Option<u64> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let busy = [0, 1, 2, 5, 6].map(|index| fields.get(index).copied().unwrap_or(0));
    (fields.len() >= 4).then(|| busy.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_is_neither_idle_nor_stolen() {
        let stat = "cpu  100 20 30 4000 500 6 7 80 9 10\ncpu0 1 2 3 4\n";
        assert_eq!(busy_ticks(stat), Some(100 + 20 + 30 + 6 + 7));
        assert_eq!(busy_ticks("intr 1 2 3"), None);
        assert_eq!(busy_ticks(""), None);
    }
}
