//! Erlang's formulas for any number of servers, whole or not.

use statrs::function::gamma::checked_gamma_ui;

/// The share of arrivals that find all of `servers` busy and leave (Erlang B), at an offered load
/// of `offered` servers' worth of work: 0 to 1. Both must be positive.
///
/// Whole servers are counted up by the stable recursion B(c) = aB(c-1) / (c + aB(c-1)). For what is
/// left over it begins with the continuation 1/B(c) = a times the integral over t from 0 of
/// e^(-at) (1+t)^c (Jagerman 1974), which is an incomplete gamma function.
pub fn erlang_b(servers: f64, offered: f64) -> f64 {
    let whole = servers.floor();
    let rest = servers - whole;
    let mut blocked = if rest > 0.0 { blocked_by_part(rest, offered) } else { 1.0 };
    let mut busy = rest;
    while busy + 0.5 < servers {
        busy += 1.0;
        blocked = offered * blocked / (busy + offered * blocked);
    }
    blocked
}

/// The share of arrivals that have to wait (Erlang C): 0 to 1, and 1 where there is more work than
/// servers can do.
pub fn erlang_c(servers: f64, offered: f64) -> f64 {
    let utilisation = offered / servers;
    if utilisation >= 1.0 {
        return 1.0;
    }
    let blocked = erlang_b(servers, offered);
    blocked / (1.0 - utilisation * (1.0 - blocked))
}

/// Erlang B of a part of a server, between 0 and 1.
fn blocked_by_part(part: f64, offered: f64) -> f64 {
    let shape = part + 1.0;
    if offered > shape + 1.0 {
        // The common factor a^c e^-a falls out of the continued fraction; under much load it and the
        // function itself would both be zero.
        return 1.0 / (offered * upper_fraction(shape, offered));
    }
    let front = part * offered.ln() - offered;
    front.exp() / checked_gamma_ui(shape, offered).unwrap_or(f64::NAN)
}

/// The upper incomplete gamma function divided by x^s e^-x, by its continued fraction (DLMF
/// 8.9.2, evaluated by Lentz's method); converges fast for `x` above `s + 1`.
fn upper_fraction(s: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut base = x + 1.0 - s;
    let mut upper = 1.0 / TINY;
    let mut lower = 1.0 / base;
    let mut fraction = lower;
    for step in 1..=500_u16 {
        let n = f64::from(step);
        let term = -n * (n - s);
        base += 2.0;
        lower = 1.0 / keep(term * lower + base);
        upper = keep(base + term / upper);
        let factor = lower * upper;
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

fn keep(value: f64) -> f64 {
    if value.abs() < 1e-300 { 1e-300 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Erlang B from its definition: a^c/c! over the sum of a^k/k!.
    fn by_definition(servers: u32, offered: f64) -> f64 {
        let mut term = 1.0;
        let mut sum = 1.0;
        for k in 1..=servers {
            term *= offered / f64::from(k);
            sum += term;
        }
        term / sum
    }

    /// The integral by Simpson's rule in t = u/(1-u).
    fn by_integral(servers: f64, offered: f64) -> f64 {
        let steps = 20_000;
        let value = |index: i32| {
            let u = f64::from(index) / f64::from(steps);
            if index == steps {
                return 0.0;
            }
            let t = u / (1.0 - u);
            (-offered * t).exp() * (1.0 + t).powf(servers) / (1.0 - u).powi(2)
        };
        let weighted = |index: i32| value(index) * if index % 2 == 1 { 4.0 } else { 2.0 };
        let sum: f64 = (1..steps).map(weighted).sum();
        let integral = (value(0) + sum + value(steps)) / f64::from(3 * steps);
        1.0 / (offered * integral)
    }

    #[test]
    fn whole_servers_are_as_the_definition_says() {
        for (servers, offered) in
            [(1, 0.5), (2, 1.6), (5, 4.0), (10, 9.5), (64, 62.72), (120, 90.0)]
        {
            let expected = by_definition(servers, offered);
            let found = erlang_b(f64::from(servers), offered);
            assert!((found / expected - 1.0).abs() < 1e-12, "{servers} {offered}: {found}");
        }
    }

    #[test]
    fn the_tables_of_erlang_c_hold() {
        // One server waits with the probability of its load; two with 2 rho^2 / (1 + rho). The
        // others are printed in tables: 3 servers at 2 Erlang 4/9, 5 at 4 0.5541, 10 at 8 0.4092.
        for (servers, offered, expected) in [
            (1.0, 0.7, 0.7),
            (2.0, 1.2, 2.0 * 0.36 / 1.6),
            (3.0, 2.0, 4.0 / 9.0),
            (5.0, 4.0, 0.554_113),
            (10.0, 8.0, 0.409_180),
        ] {
            let found = erlang_c(servers, offered);
            assert!((found / expected - 1.0).abs() < 2e-6, "{servers} {offered}: {found}");
        }
        assert!(erlang_c(4.0, 4.0) >= 1.0 && erlang_c(4.0, 9.0) >= 1.0);
    }

    #[test]
    fn parts_of_servers_are_as_the_integral_says() {
        for (servers, offered) in
            [(0.25, 0.1), (0.5, 3.0), (1.4235, 0.99), (2.5, 2.0), (7.3, 6.9), (33.7, 30.0)]
        {
            let expected = by_integral(servers, offered);
            let found = erlang_b(servers, offered);
            assert!((found / expected - 1.0).abs() < 1e-7, "{servers} {offered}: {found}");
        }
    }

    #[test]
    fn half_a_server_under_much_load_is_as_the_expansion_says() {
        // Integrated by parts: 1/B(c) = 1 + c/a + c(c-1)/a^2 + ..., of which e^-a is no part.
        let a = 2_000.0_f64;
        let expected = 1.0 / (1.0 + 0.5 / a - 0.25 / a.powi(2) + 0.375 / a.powi(3));
        let found = erlang_b(0.5, a);
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn more_servers_block_less_without_a_step_at_whole_ones() {
        let mut last = 1.0;
        for step in 1..400 {
            let blocked = erlang_b(f64::from(step) * 0.05, 5.0);
            assert!(blocked < last && last - blocked < 0.03, "{step}: {blocked} after {last}");
            last = blocked;
        }
    }
}
