//! Texts with places to be filled in.

/// A template with its `{{names}}` filled in; what is filled in is not looked at again.
pub(super) fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        match parts.iter().find(|(known, _)| *known == name) {
            Some((_, part)) => filled.push_str(part),
            // It is a later template's.
            None => filled.extend(["{{", name, "}}"]),
        }
        rest = after;
    }
    filled + rest
}
