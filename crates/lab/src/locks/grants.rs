//! In which order a lock was granted to those who asked for it one after the other.

/// One grant.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Grant {
    /// Who asked first has 1.
    pub asked: u64,
    /// Who got it first has 1.
    pub granted: u64,
    /// From the moment the lock became free to this grant, seconds.
    pub after_s: f64,
}

/// Sorts the grants of one round by their order; none where a number is missing or twice there.
pub fn in_order(mut grants: Vec<Grant>) -> Option<Vec<Grant>> {
    grants.sort_by_key(|grant| grant.granted);
    let is_whole = (1..).zip(&grants).all(|(number, grant)| grant.granted == number);
    is_whole.then_some(grants)
}

/// The grants of a round, in their order, at which somebody who had asked earlier was still waiting.
pub fn out_of_order(grants: &[Grant]) -> u64 {
    let overtakes = |(at, grant): (usize, &Grant)| {
        grants.iter().skip(at + 1).any(|later| later.asked < grant.asked)
    };
    grants.iter().enumerate().map(|one| u64::from(overtakes(one))).sum()
}

/// How many of `waiting` grants are out of order on average where each of those who wait is as likely to
/// be next: with k of them it is the first with 1 / k.
pub fn at_random(waiting: u64) -> f64 {
    (1..=waiting).map(|left| 1.0 - 1.0 / left as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(asked: &[u64]) -> Vec<Grant> {
        let grant = |(granted, asked)| Grant { asked, granted, after_s: 0.0 };
        (1..).zip(asked.iter().copied()).map(grant).collect()
    }

    #[test]
    fn grants_that_overtake_are_out_of_order() {
        assert_eq!(out_of_order(&round(&[1, 2, 3, 4])), 0);
        // Only the last to ask went before others.
        assert_eq!(out_of_order(&round(&[4, 1, 2, 3])), 1);
        assert_eq!(out_of_order(&round(&[4, 3, 2, 1])), 3);
        assert_eq!(out_of_order(&round(&[2, 1, 4, 3])), 2);
    }

    #[test]
    fn the_mean_at_random_is_that_of_all_orders() {
        fn orders(left: &[u64]) -> Vec<Vec<u64>> {
            if left.is_empty() {
                return vec![Vec::new()];
            }
            let first = |at: usize| {
                let rest = [&left[..at], &left[at + 1..]].concat();
                orders(&rest).into_iter().map(move |order| [&[left[at]][..], &order].concat())
            };
            (0..left.len()).flat_map(first).collect()
        }
        let all = orders(&[1, 2, 3, 4, 5]);
        assert_eq!(all.len(), 120);
        let sum: u64 = all.iter().map(|order| out_of_order(&round(order))).sum();
        assert!((sum as f64 / 120.0 - at_random(5)).abs() < 1e-12);
    }

    #[test]
    fn a_round_with_a_missing_grant_is_none() {
        let mut grants = round(&[1, 2, 3]);
        grants.reverse();
        assert_eq!(in_order(grants.clone()), Some(round(&[1, 2, 3])));
        grants[0].granted = 4;
        assert_eq!(in_order(grants), None);
    }
}
