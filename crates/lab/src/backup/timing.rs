//! The time of a statement's read in what `EXPLAIN` says.

use isotherm_frame::Nanos;

/// Blocks that a statement read, and how long that took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    pub blocks: u64,
    pub time: Nanos,
}

impl Timing {
    /// Of the lines of a plan with one node: what its planning read is left out.
    pub fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Timing {
        let mut timing = Timing::default();
        for line in lines.map(str::trim).take_while(|line| !line.starts_with("Planning")) {
            if let Some(rest) = line.strip_prefix("Buffers: shared ") {
                timing.blocks = value(rest).and_then(|text| text.parse().ok()).unwrap_or(0);
            } else if let Some(rest) = line.strip_prefix("I/O Timings: ") {
                let milliseconds = value(rest).and_then(|text| text.parse().ok());
                timing.time = milliseconds.map_or(Nanos::ZERO, |time: f64| {
                    Nanos::from_secs_f64(time / 1e3).unwrap_or(Nanos::ZERO)
                });
            }
        }
        timing
    }
}

/// What follows `read=`.
fn value(text: &str) -> Option<&str> {
    text.split([' ', ',']).find_map(|word| word.strip_prefix("read="))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Random;

    use super::*;

    /// `PostgreSQL` 15.18; the third line of release 14 has no "shared", that of 16 "shared/local".
    const PLAN: &str = "\
Index Scan using b_key_idx on b (actual rows=1 loops=1)
  Index Cond: (key = 777)
  Buffers: shared hit=3 read=4
  I/O Timings: shared read=0.040
Planning:
  Buffers: shared hit=14 read=1 dirtied=1
  I/O Timings: shared read=0.049
Planning Time: 0.181 ms
Execution Time: 0.088 ms";

    #[test]
    fn the_reads_of_the_execution_are_found() {
        let read = |text: &str| Timing::read(text.lines());
        let found = Timing { blocks: 4, time: Nanos::from_micros(40) };
        assert_eq!(read(PLAN), found);
        for label in
            ["read=0.040", "shared/local read=0.040 write=0.001", "shared read=0.040, temp read=1"]
        {
            assert_eq!(read(&PLAN.replace("shared read=0.040", label)), found, "{label}");
        }
        assert_eq!(read("Buffers: shared hit=3"), Timing::default());
        assert_eq!(read("Planning:\n Buffers: shared read=3"), Timing::default());
        for bad in ["-1", "nan", "inf", "1e300", "x", ""] {
            let text = format!("Buffers: shared read={bad}\nI/O Timings: shared read={bad}");
            assert_eq!(read(&text), Timing::default(), "{bad}");
        }
    }

    #[test]
    fn damaged_plans_break_nothing() {
        let mut random = Random::new(6);
        for _ in 0..20_000 {
            let mut bytes = PLAN.as_bytes().to_vec();
            for _ in 0..3 {
                let at = random.index(bytes.len());
                bytes[at] = b" =.,-:\n9e\xc3"[random.index(10)];
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let _ = Timing::read(text.lines());
        }
    }
}
