//! What is printed can be typed, and means the same.

use isotherm_frame::typed::{Condition, Limit, bytes, count, duration, rate, share};
use isotherm_frame::{Nanos, numbers, span};
use proptest::prelude::*;

/// Whether a number read back is the one printed with three digits.
fn is_near(read: f64, printed: f64) -> bool {
    (read - printed).abs() <= 0.005_001 * printed.abs()
}

proptest! {
    #[test]
    fn lengths_are_read_as_they_are_printed(ns in 0_u64..10_u64.pow(15)) {
        let printed = Nanos::new(ns).to_string();
        let read = duration(&printed).unwrap();
        prop_assert!(is_near(read.as_secs_f64(), Nanos::new(ns).as_secs_f64()), "{printed}");
        prop_assert_eq!(read.to_string(), printed);
    }

    #[test]
    fn spans_are_read_exactly_as_they_are_printed(ns in 0_u64..10_u64.pow(16)) {
        let printed = span(Nanos::new(ns));
        let read = duration(&printed).unwrap();
        prop_assert_eq!(span(read), printed);
    }

    #[test]
    fn several_units_add_up(d in 0_u64..100, h in 0_u64..24, m in 0_u64..60, ms in 0_u64..60_000) {
        let wanted = ((d * 24 + h) * 60 + m) * 60_000 + ms;
        for text in [
            format!("{d}d{h}h{m}m{ms}ms"),
            format!("{d} d {h} h {m} min {ms} ms"),
            format!("{d}days {h}hours{m}minutes {ms}msec"),
        ] {
            prop_assert_eq!(duration(&text), Ok(Nanos::from_millis(wanted)), "{}", text);
        }
    }

    #[test]
    fn waited_is_read_as_it_is_printed(seconds in 1e-9_f64..1e6) {
        let printed = numbers::waited(seconds);
        let read = duration(&printed).unwrap().as_secs_f64();
        // Below a microsecond there are whole nanoseconds only.
        prop_assert!(is_near(read, seconds) || (read - seconds).abs() <= 1e-9, "{printed}: {read}");
    }

    #[test]
    fn bytes_are_read_as_they_are_printed(number in 0_u64..1 << 50) {
        let printed = numbers::bytes(number);
        // What is not whole in bytes was rounded to three digits.
        if let Ok(read) = bytes(&printed) {
            prop_assert!(is_near(read as f64, number as f64), "{printed}");
        } else {
            prop_assert!(printed.contains('.'), "{printed}");
        }
    }

    #[test]
    fn round_bytes_are_read_exactly(number in 1_u64..1_000, power in 0_u32..5) {
        let exact = number << (10 * power);
        prop_assert_eq!(bytes(&numbers::bytes(exact)), Ok(exact));
        let unit = ["", "k", "M", "G", "T"][power as usize];
        let (plain, b) = (format!("{number}{unit}"), format!("{number}{unit}b"));
        let ib = if unit.is_empty() { plain.clone() } else { format!("{number} {unit}iB") };
        for text in [plain, b, ib] {
            prop_assert_eq!(bytes(&text), Ok(exact), "{}", text);
            prop_assert_eq!(bytes(&text.to_uppercase()), Ok(exact), "{}", text);
        }
    }

    #[test]
    fn counts_are_read_exactly_as_they_are_printed(number in 0_u64..1 << 53) {
        prop_assert_eq!(count(&numbers::grouped(number)), Ok(number));
        prop_assert_eq!(count(&number.to_string()), Ok(number));
    }

    #[test]
    fn rates_are_read_as_they_are_printed(per_second in 0.01_f64..1e9) {
        let printed = numbers::quantity(per_second);
        for text in [printed.clone(), format!("{printed}/s"), format!("{printed} events/s")] {
            prop_assert!(is_near(rate(&text).unwrap(), per_second), "{text}");
        }
        let minutes = rate(&format!("{per_second}/min")).unwrap();
        prop_assert!((60.0 * minutes - per_second).abs() <= 1e-9 * per_second);
    }

    #[test]
    fn shares_are_read_as_they_are_printed(percent in 0.0_f64..=100.0) {
        prop_assert_eq!(share(&format!("{percent}%")), Ok(percent));
        prop_assert_eq!(share(&format!("{percent} %")), Ok(percent));
    }

    #[test]
    fn conditions_are_read_as_they_are_printed(
        measure in "(p[1-9][0-9]?|p99\\.9|mean|max)",
        comparison in "(<|<=|>|>=)",
        ms in 1_u64..1_000_000,
    ) {
        let text = format!("{measure}{comparison}{ms}ms");
        let read: Condition = text.parse().unwrap();
        prop_assert_eq!(read.limit, Limit::Time(Nanos::from_millis(ms)));
        prop_assert_eq!(read.above, comparison.starts_with('>'));
        prop_assert_eq!(read.or_equal, comparison.ends_with('='));
        prop_assert_eq!(&read.to_string(), &text);
        prop_assert_eq!(read.to_string().parse::<Condition>(), Ok(read));
    }

    #[test]
    fn any_text_is_read_or_refused_with_itself(text in any::<String>()) {
        let quoted = format!("'{text}'");
        for refused in [
            bytes(&text).err(), count(&text).err(), rate(&text).err(), share(&text).err(),
            duration(&text).err(),
        ].into_iter().flatten() {
            let said = refused.to_string();
            let lacks_unit = format!("{}: add a unit, such as ", text.trim());
            let says_what = said.starts_with(&quoted) && said.contains("write for example");
            prop_assert!(says_what || said.starts_with(&lacks_unit), "{said}");
        }
        let _ = text.parse::<Condition>();
    }
}
