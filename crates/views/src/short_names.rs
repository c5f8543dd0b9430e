//! Names of series beside each other, without what they have in common.

use isotherm_frame::{Series, shown_name};

/// What several series have in common, and what tells each from the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortNames {
    groups: Vec<Group>,
}

/// The series of one name.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: String,
    count: usize,
    /// The attributes that all of them have.
    common: Vec<(String, String)>,
}

impl ShortNames {
    /// Of the series that stand beside each other.
    pub fn of<'a>(series: impl IntoIterator<Item = &'a Series>) -> ShortNames {
        let mut groups: Vec<Group> = Vec::new();
        for one in series {
            match groups.iter_mut().find(|group| group.name == one.name()) {
                Some(group) => {
                    group.count += 1;
                    group.common.retain(|(key, value)| has(one, key, value));
                }
                None => groups.push(Group {
                    name: one.name().to_owned(),
                    count: 1,
                    common: one.attributes().map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
                }),
            }
        }
        ShortNames { groups }
    }

    /// What all of them have in common and the names leave out, such as `block I/O op=read`; `None`
    /// where they have different names or there is only one.
    pub fn common(&self) -> Option<String> {
        let [only] = self.groups.as_slice() else { return None };
        let attributes = only.common.iter().map(|(key, value)| format!(" {key}={value}"));
        let text = format!("{}{}", only.name, attributes.collect::<String>());
        (only.count > 1).then(|| shown_name(&text))
    }

    /// What tells a series from the others: `sda`, `block I/O sda`, `read inst=1`, `log file sync`.
    pub fn name(&self, series: &Series) -> String {
        let group = self.groups.iter().find(|group| group.name == series.name());
        let Some(group) = group.filter(|group| group.count > 1) else { return series.to_string() };
        let own = series.attributes().filter(|&(key, value)| {
            !group.common.iter().any(|(one, other)| (one.as_str(), other.as_str()) == (key, value))
        });
        let own: Vec<String> = own.map(|(key, value)| told_apart(key, value)).collect();
        let own = own.join(" ");
        let name = if self.groups.len() > 1 { series.name() } else { "" };
        let text = match (name.is_empty(), own.is_empty()) {
            (true, true) => series.name().to_owned(),
            (false, false) => format!("{name} {own}"),
            _ => format!("{name}{own}"),
        };
        shown_name(&text)
    }
}

fn has(series: &Series, key: &str, value: &str) -> bool {
    series.attributes().any(|one| one == (key, value))
}

/// A word says what it is by itself; a number does not.
fn told_apart(key: &str, value: &str) -> String {
    let is_word = value.chars().count() > 1 && value.starts_with(|c: char| c.is_alphabetic());
    if is_word { value.to_owned() } else { format!("{key}={value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(device: &str, op: &str) -> Series {
        Series::with_attributes("block I/O", [("device", device), ("op", op)])
    }

    fn names(series: &[Series]) -> (Option<String>, Vec<String>) {
        let short = ShortNames::of(series);
        (short.common(), series.iter().map(|one| short.name(one)).collect())
    }

    #[test]
    fn what_all_have_in_common_is_left_out() {
        let (common, told) = names(&[io("vda", "read"), io("vdb", "read")]);
        assert_eq!(common.as_deref(), Some("block I/O op=read"));
        assert_eq!(told, ["vda", "vdb"]);
        let (common, told) = names(&[io("vda", "read"), io("vda", "write"), io("vdb", "read")]);
        assert_eq!(common.as_deref(), Some("block I/O"));
        assert_eq!(told, ["vda read", "vda write", "vdb read"]);
        let (common, told) = names(&[io("vda", "read"), io("vdb", "read"), Series::named("sync")]);
        assert_eq!(
            (common, told),
            (None, vec!["block I/O vda".into(), "block I/O vdb".into(), "sync".into()])
        );
    }

    #[test]
    fn numbers_keep_their_key_and_one_alone_its_name() {
        let inst = |number: &str| Series::with_attributes("read", [("inst", number)]);
        assert_eq!(names(&[inst("1"), inst("2")]).1, ["inst=1", "inst=2"]);
        assert_eq!(
            names(&[io("vda", "read")]),
            (None, vec!["block I/O{device=vda,op=read}".into()])
        );
        // One without what tells the others apart has its name.
        let told = names(&[Series::named("read"), inst("1")]);
        assert_eq!(told, (Some("read".into()), vec!["read".into(), "inst=1".into()]));
    }
}
