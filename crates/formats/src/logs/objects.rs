//! Lines of JSON for decoders that know the names of their fields.

use super::json;
use super::request::FieldChoice;
use super::shape::Shapes;

/// Takes lines of JSON apart; those that differ in their values only at once.
#[derive(Default)]
pub(crate) struct Objects(Shapes);

impl Objects {
    /// Gives the path of each field, with points, and its text; whether the line is an object.
    pub(crate) fn fields(&mut self, line: &str, mut take: impl FnMut(&str, &str)) -> bool {
        if let Some(shape) = self.0.recognise(line, false) {
            let fields = self.0.fields(shape, line);
            for field in (0..fields.count).map(&fields.field) {
                take(field.name, field.text);
            }
            return true;
        }
        let Some(fields) = json::fields(line) else { return false };
        self.0.learn(line, &fields, (&FieldChoice::default(), None));
        for field in &fields {
            take(&field.name, field.borrowed().text);
        }
        true
    }
}

/// Gives the path of each field of an object, and its text.
pub(crate) fn each_field(object: serde_json::Value, mut take: impl FnMut(&str, &str)) {
    for field in &json::fields_of(object) {
        take(&field.name, field.borrowed().text);
    }
}
