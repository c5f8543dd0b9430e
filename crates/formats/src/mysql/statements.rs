//! What tells the statements of `MySQL` apart.

use isotherm_frame::Series;

use super::found::STATEMENTS;

/// What statements can be told apart by, the first of them as the name of a series.
pub(super) const ATTRIBUTES: [&str; 3] = ["statement", "schema", "digest"];

/// A digest in a schema; texts are empty where they are not given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) statement: String,
    pub(super) schema: String,
    pub(super) digest: String,
}

/// By what series are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    statement: bool,
    schema: bool,
    digest: bool,
}

impl Default for Naming {
    fn default() -> Naming {
        Naming { statement: true, schema: true, digest: true }
    }
}

impl Naming {
    /// By attributes that a user named, or which one there is not.
    pub fn by(names: &[String]) -> Result<Naming, String> {
        let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
        if let Some(unknown) = names.iter().find(|name| !ATTRIBUTES.contains(name)) {
            return Err(format!(
                "statements of MySQL have no '{unknown}': --by takes {}",
                ATTRIBUTES.join(", ")
            ));
        }
        let has = |name| names.contains(&name);
        Ok(Naming { statement: has("statement"), schema: has("schema"), digest: has("digest") })
    }

    /// The series of a digest.
    pub(super) fn series(&self, key: &Key) -> Series {
        let chosen = |wanted: bool, text: &'_ str| wanted && !text.is_empty();
        let name = if chosen(self.statement, &key.statement) { &key.statement } else { STATEMENTS };
        let schema = chosen(self.schema, &key.schema).then_some(("schema", key.schema.as_str()));
        let digest = chosen(self.digest, &key.digest).then_some(("digest", key.digest.as_str()));
        Series::with_attributes(name, [schema, digest].into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_the_name_and_what_is_not_stated_is_left_out() {
        let text = |text: &str| text.to_owned();
        let key = Key { statement: text("SELECT ?"), schema: text("shop"), digest: text("ab") };
        let by = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| text(name)).collect();
            Naming::by(&names).map(|naming| naming.series(&key).full())
        };
        assert_eq!(by(&["statement"]), Ok(text("SELECT ?")));
        assert_eq!(by(&["schema", "digest"]), Ok(text("statements{digest=ab,schema=shop}")));
        assert!(by(&["user"]).unwrap_err().contains("statement, schema, digest"));
        let nameless = Key { statement: text(""), schema: text(""), digest: text("") };
        assert_eq!(Naming::default().series(&nameless).full(), "statements");
    }
}
