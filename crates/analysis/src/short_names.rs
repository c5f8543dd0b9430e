//! Names of series beside each other, without what they have in common.

use isotherm_frame::{Detail, Series, shown_name};

/// What several series have in common, and what tells each from the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortNames {
    groups: Vec<Group>,
    /// The attributes that all series have, where there are several.
    everywhere: Vec<(String, String)>,
}

/// The series of one name.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    name: String,
    count: usize,
    /// The attributes that all of them have.
    common: Vec<(String, String)>,
    /// The keys of the first.
    keys: Vec<String>,
    /// Whether they are those of all, so that a value alone says which it is of.
    has_one_kind: bool,
}

impl ShortNames {
    /// Of the series that stand beside each other.
    pub fn of<'a>(series: impl IntoIterator<Item = &'a Series>) -> ShortNames {
        let mut groups: Vec<Group> = Vec::new();
        let mut everywhere: Option<Vec<(String, String)>> = None;
        for one in series {
            let shared = everywhere.get_or_insert_with(|| attributes(one));
            shared.retain(|(key, value)| has(one, key, value));
            match groups.iter_mut().find(|group| group.name == one.name()) {
                Some(group) => {
                    group.count += 1;
                    group.common.retain(|(key, value)| has(one, key, value));
                    group.has_one_kind &= one.attributes().map(|(key, _)| key).eq(&group.keys);
                }
                None => groups.push(Group {
                    name: one.name().to_owned(),
                    count: 1,
                    common: attributes(one),
                    keys: one.attributes().map(|(key, _)| key.to_owned()).collect(),
                    has_one_kind: true,
                }),
            }
        }
        let several = groups.iter().map(|group| group.count).sum::<usize>() > 1;
        ShortNames { groups, everywhere: everywhere.filter(|_| several).unwrap_or_default() }
    }

    /// What all of them have in common and the names leave out, such as `block I/O op=read` or
    /// `db=PROD inst=1`; `None` where that is nothing or there is only one.
    pub fn common(&self) -> Option<String> {
        let name = match self.groups.as_slice() {
            [only] if only.count > 1 => Some(only.name.clone()),
            _ => None,
        };
        let attributes = self.everywhere.iter().map(|(key, value)| format!("{key}={value}"));
        let parts: Vec<String> = name.into_iter().chain(attributes).collect();
        (!parts.is_empty()).then(|| shown_name(&parts.join(" ")))
    }

    /// The same as a line above a list of the names: `All series: block I/O op=read`.
    pub fn common_line(&self) -> Option<String> {
        self.common().map(|common| format!("All series: {common}"))
    }

    /// What tells a series from the others where nothing stands beside it that says what they have in
    /// common, as in a sentence: `block I/O sda`.
    pub fn full_name(&self, series: &Series) -> String {
        let name = self.name(series);
        match self.groups.as_slice() {
            [only] if only.count > 1 && attributes(series).len() > only.common.len() => {
                shown_name(&format!("{} {name}", only.name))
            }
            _ => name,
        }
    }

    /// What tells a series from the others: `sda`, `block I/O sda`, `read inst=1`, `log file sync`.
    pub fn name(&self, series: &Series) -> String {
        let group = self.groups.iter().find(|group| group.name == series.name());
        let Some(group) = group else { return series.to_string() };
        if group.count == 1 && self.everywhere.is_empty() {
            return series.to_string();
        }
        let averages = if series.detail() == Detail::Averages { " (averages)" } else { "" };
        let left_out = if group.count > 1 { &group.common } else { &self.everywhere };
        let own = series.attributes().filter(|&(key, value)| {
            !left_out.iter().any(|(one, other)| (one.as_str(), other.as_str()) == (key, value))
        });
        let written = |(key, value): (&str, &str)| {
            if group.has_one_kind { value_or_pair(key, value) } else { format!("{key}={value}") }
        };
        let own: Vec<String> = own.map(written).collect();
        let own = own.join(" ");
        let name = if self.groups.len() > 1 { series.name() } else { "" };
        let text = match (name.is_empty(), own.is_empty()) {
            (true, true) => series.name().to_owned(),
            (false, false) => format!("{name} {own}"),
            _ => format!("{name}{own}"),
        };
        shown_name(&text) + averages
    }
}

fn attributes(series: &Series) -> Vec<(String, String)> {
    series.attributes().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn has(series: &Series, key: &str, value: &str) -> bool {
    series.attributes().any(|one| one == (key, value))
}

/// A word says what it is by itself; a number does not.
fn value_or_pair(key: &str, value: &str) -> String {
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
        let (common, own_names) = names(&[io("vda", "read"), io("vdb", "read")]);
        assert_eq!(common.as_deref(), Some("block I/O op=read"));
        assert_eq!(own_names, ["vda", "vdb"]);
        let (common, own_names) =
            names(&[io("vda", "read"), io("vda", "write"), io("vdb", "read")]);
        assert_eq!(common.as_deref(), Some("block I/O"));
        assert_eq!(own_names, ["vda read", "vda write", "vdb read"]);
        let (common, own_names) =
            names(&[io("vda", "read"), io("vdb", "read"), Series::named("sync")]);
        assert_eq!(
            (common, own_names),
            (None, vec!["block I/O vda".into(), "block I/O vdb".into(), "sync".into()])
        );
    }

    #[test]
    fn what_is_the_same_under_every_name_is_left_out_too() {
        let wait = |name: &str| Series::with_attributes(name, [("db", "PROD"), ("inst", "1")]);
        let (common, own_names) = names(&[wait("read"), wait("sync")]);
        assert_eq!(common.as_deref(), Some("db=PROD inst=1"));
        assert_eq!(own_names, ["read", "sync"]);
        let other = Series::with_attributes("sync", [("db", "PROD"), ("inst", "2")]);
        let (common, own_names) = names(&[wait("read"), other]);
        assert_eq!(common.as_deref(), Some("db=PROD"));
        assert_eq!(own_names, ["read inst=1", "sync inst=2"]);
    }

    #[test]
    fn in_a_sentence_the_name_of_all_stands_before_what_tells_one_from_the_others() {
        let all = [io("sda", "read"), io("sdb", "read")];
        let full = |series: &[Series]| ShortNames::of(series).full_name(&series[1]);
        assert_eq!(full(&all), "block I/O sdb");
        assert_eq!(full(&[io("sda", "read"), Series::named("log file sync")]), "log file sync");
        assert_eq!(full(&[Series::named("block I/O"), Series::named("block I/O")]), "block I/O");
        let other = [Series::named("log file sync"), io("sda", "read"), io("sdb", "read")];
        assert_eq!(full(&other), "block I/O sda");
    }

    #[test]
    fn averages_and_histograms_of_one_name_are_told_apart() {
        let averages = io("vda", "read").with_detail(Detail::Averages);
        let all = [io("vda", "read"), averages, io("vdb", "read")];
        assert_eq!(names(&all).1, ["vda", "vda (averages)", "vdb"]);
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
        let own_names = names(&[Series::named("read"), inst("1")]);
        assert_eq!(own_names, (Some("read".into()), vec!["read".into(), "inst=1".into()]));
    }

    #[test]
    fn values_of_other_attributes_have_their_keys() {
        let query = |key| Series::with_attributes("q", [(key, "app")]);
        assert_eq!(names(&[query("user"), query("db")]).1, ["user=app", "db=app"]);
        let read = [Series::named("read"), Series::with_attributes("read", [("op", "read")])];
        assert_eq!(names(&read).1, ["read", "op=read"]);
    }
}
