//! Shares as people read them: one rule wherever one is printed.

/// A share in a sentence: `0 %`, `<0.1 %`, `1.2 %`, `70 %`, `>99 %`, `100 %`. Little is never written
/// as nothing, nor nearly all as all; a share that is no number is `-`.
pub fn percent(share: f64) -> String {
    written(share, &fine, " %")
}

/// How much more something is, in a sentence: as a share, but that a hundred percent is nothing that nearly
/// all of it could be: `<0.1 %`, `1.2 %`, `100 %`, `150 %`.
pub fn percent_more(share: f64) -> String {
    match share.abs() * 100.0 {
        percent @ 99.5..100.0 => format!("{percent:.0} %"),
        _ => percent(share),
    }
}

/// The same in a cell or beside a name: `1.2%`.
pub fn narrow_percent(share: f64) -> String {
    written(share, &fine, "%")
}

/// The same without digits behind the point, where there is little room: `0%`, `<1%`, `62%`, `>99%`.
pub fn whole_percent(share: f64) -> String {
    written(share, &whole, "%")
}

/// The same of a part of a whole; of a whole that is nothing `0%`.
pub fn whole_percent_of(part: f64, all: f64) -> String {
    whole_percent(if all > 0.0 { part / all } else { 0.0 })
}

/// A share with one digit behind the point, without a sign: for columns whose heading has it: `0.0`,
/// `<0.1`, `12.3`, `100`.
pub fn tenths_of_percent(share: f64) -> String {
    written(share, &tenths, "")
}

/// How much more or less something is: `+0.3 %`, `-2.1 %`, `0 %`.
pub fn percent_change(share: f64) -> String {
    signed(share, " %")
}

/// The same in a cell or beside a name: `+0.3%`.
pub fn narrow_percent_change(share: f64) -> String {
    signed(share, "%")
}

fn signed(share: f64, sign: &str) -> String {
    if !share.is_finite() {
        return "-".to_owned();
    }
    let tenths = (share * 1_000.0).round() / 10.0;
    if tenths == 0.0 { format!("0{sign}") } else { format!("{tenths:+}{sign}") }
}

fn written(share: f64, number: &dyn Fn(f64) -> String, sign: &str) -> String {
    if !share.is_finite() {
        return "-".to_owned();
    }
    let minus = if share < 0.0 { "-" } else { "" };
    format!("{minus}{}{sign}", number(share.abs() * 100.0))
}

fn fine(percent: f64) -> String {
    match percent {
        ..=0.0 => "0".to_owned(),
        ..0.1 => "<0.1".to_owned(),
        ..9.95 => ((percent * 10.0).round() / 10.0).to_string(),
        _ => most(percent),
    }
}

fn tenths(percent: f64) -> String {
    match percent {
        ..=0.0 => "0.0".to_owned(),
        ..0.05 => "<0.1".to_owned(),
        ..99.95 => format!("{percent:.1}"),
        _ => format!("{percent:.0}"),
    }
}

fn whole(percent: f64) -> String {
    match percent {
        ..=0.0 => "0".to_owned(),
        ..0.5 => "<1".to_owned(),
        _ => most(percent),
    }
}

/// All, as far as sums of the same parts in another order agree.
const ALL: f64 = 100.0 - 1e-7;

fn most(percent: f64) -> String {
    match percent {
        99.5..ALL => ">99".to_owned(),
        _ => format!("{percent:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_not_nothing_and_nearly_all_is_not_all() {
        for (share, fine, whole) in [
            (0.0, "0", "0"),
            (1e-9, "<0.1", "<1"),
            (0.000_999, "<0.1", "<1"),
            (0.001, "0.1", "<1"),
            (0.012_34, "1.2", "1"),
            (0.02, "2", "2"),
            (0.099_4, "9.9", "10"),
            (0.099_6, "10", "10"),
            (0.7, "70", "70"),
            (0.994, "99", "99"),
            (0.999_9, ">99", ">99"),
            (1.0 - 1e-12, "100", "100"),
            (1.0, "100", "100"),
            (1.5, "150", "150"),
            (-0.012, "-1.2", "-1"),
        ] {
            assert_eq!(percent(share), format!("{fine} %"));
            assert_eq!(narrow_percent(share), format!("{fine}%"));
            assert_eq!(whole_percent(share), format!("{whole}%"));
        }
        let shares = [0.0, 0.000_4, 0.123_4, 0.999_6, 1.0, -0.5, f64::NAN];
        let column = ["0.0", "<0.1", "12.3", "100", "100", "-50.0", "-"];
        assert_eq!(shares.map(tenths_of_percent), column);
        let changes = [0.003, -0.021, 0.000_4, -0.000_4, 1.5, f64::INFINITY];
        let words = ["+0.3 %", "-2.1 %", "0 %", "0 %", "+150 %", "-"];
        assert_eq!(changes.map(percent_change), words);
        assert_eq!(narrow_percent_change(0.018), "+1.8%");
        assert_eq!(percent(f64::NAN), "-");
        assert_eq!([0.996, 0.2, 1.5].map(percent_more), ["100 %", "20 %", "150 %"]);
        assert_eq!(
            (whole_percent_of(1.0, 0.0), whole_percent_of(1.0, 4.0)),
            ("0%".into(), "25%".into())
        );
    }
}
