//! Printed numbers, with no more digits than are known.

use isotherm_oracle::awr::Printed;

/// A number with as many decimals as are known, three at most.
pub(super) fn shown(printed: Printed) -> String {
    let Printed { value, half } = printed;
    // Products of decimal fractions may lie just below them.
    let decimals = match half * 1.000_001 {
        0.0 => usize::from(value.fract() != 0.0) * 3,
        0.5.. => 0,
        0.05..0.5 => 1,
        0.005..0.05 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_show_no_more_digits_than_are_known() {
        let shown = |value, half| super::shown(Printed { value, half });
        assert_eq!(shown(1_499.933, 0.28), "1499.9");
        assert_eq!(shown(93_013.468, 210.4), "93013");
        assert_eq!(shown(9.649_52, 0.0008), "9.650");
        assert_eq!(shown(0.0, 0.0), "0");
        assert_eq!(shown(13_437.2, 0.005), "13437.20");
    }
}
