//! Cells of a table and the numbers in them.

/// How numbers are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Decimal {
    /// With a point.
    Point,
    /// With a comma.
    Comma,
    /// Commas could separate thousands or decimals.
    Unclear,
}

/// The cells of a line, without the quotes and spaces around them. A separator within quotes does
/// not separate, and two quotes within quotes are one.
pub(super) fn split(line: &str, delimiter: char) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            letter if letter == delimiter && !quoted => {
                cells.push(cell.trim().to_owned());
                cell.clear();
            }
            letter => cell.push(letter),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

impl Decimal {
    /// How the numbers of a table are written: a comma followed by other than three digits, or
    /// after a single zero, cannot separate thousands.
    pub fn of<'a>(cells: impl Iterator<Item = &'a str>, delimiter: char) -> Decimal {
        let mut decimal = Decimal::Point;
        for cell in cells.filter(|cell| delimiter != ',' && is_with_comma(cell)) {
            let Some((before, after)) = cell.split_once(',') else { continue };
            if after.contains(',') || after.contains('.') {
                continue;
            }
            let thousands = after.len() == 3 && before != "0" && !before.is_empty();
            if !thousands {
                return Decimal::Comma;
            }
            decimal = Decimal::Unclear;
        }
        decimal
    }

    /// The number in a cell, or why there is none.
    pub fn number(self, cell: &str) -> Result<f64, String> {
        let not_one = || "is not a number".to_owned();
        if is_with_comma(cell) {
            match self {
                Decimal::Comma if !cell.contains('.') && cell.matches(',').count() == 1 => {
                    return cell.replace(',', ".").parse().map_err(|_| not_one());
                }
                Decimal::Unclear => {
                    return Err(format!(
                        "could be {} or {}: write decimals with a point",
                        cell.replace(',', "."),
                        cell.replace(',', "")
                    ));
                }
                _ => return Err(not_one()),
            }
        }
        let number: f64 = cell.parse().map_err(|_| not_one())?;
        if number.is_finite() { Ok(number) } else { Err(not_one()) }
    }
}

/// Whether a cell could be a number with a comma in it.
fn is_with_comma(cell: &str) -> bool {
    let number = |letter: char| letter.is_ascii_digit() || "+-.,eE".contains(letter);
    cell.contains(',') && cell.len() <= 40 && cell.chars().all(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_separators_and_quotes() {
        assert_eq!(split("a, \"b,c\" ,\"d\"\"e\"", ','), ["a", "b,c", "d\"e"]);
        assert_eq!(split("", ';'), [""]);
        assert_eq!(split("1;;3;", ';'), ["1", "", "3", ""]);
    }

    #[test]
    fn infinity_and_words_are_no_numbers() {
        for cell in ["inf", "NaN", "1.2.3", "1,2", "--1", "0x10"] {
            assert!(Decimal::Point.number(cell).is_err(), "{cell}");
        }
        assert_eq!(Decimal::Point.number("1.5e3"), Ok(1_500.0));
    }
}
