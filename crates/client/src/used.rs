//! Passwords that were used to log on, so that they can be hidden in whatever is said later: a server may
//! repeat them in an error.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

static USED: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// A shorter one is also a piece of many words.
const LEAST: usize = 4;
/// No more are remembered.
const MOST: usize = 64;
/// What stands where a password was.
const HIDDEN: &str = "***";

/// Remembers a password. One that is the same as a name that is shown anyway, such as the user's, could
/// not be hidden without making messages unreadable, and is no secret to anybody who reads them.
pub fn remember(password: &str, shown: &[&str]) {
    if password.len() < LEAST || shown.contains(&password) {
        return;
    }
    let mut used = USED.write().unwrap_or_else(PoisonError::into_inner);
    if used.len() < MOST && !used.iter().any(|known| known == password) {
        used.push(password.to_owned());
        // The longest first: one may be part of another.
        used.sort_by_key(|known| std::cmp::Reverse(known.len()));
    }
}

/// A text without the passwords that were used.
pub fn hide(text: &str) -> Cow<'_, str> {
    let used = USED.read().unwrap_or_else(PoisonError::into_inner);
    let mut text = Cow::Borrowed(text);
    for password in &*used {
        if text.contains(password.as_str()) {
            text = Cow::Owned(text.replace(password.as_str(), HIDDEN));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_that_were_used_are_hidden_and_names_are_not() {
        remember("Tr0ub4dor", &["joe"]);
        remember("Tr0ub4dor&3", &["joe"]);
        remember("postgres", &["postgres", "d"]);
        remember("abc", &[]);
        assert_eq!(hide("no Tr0ub4dor&3, Tr0ub4dor"), "no ***, ***");
        assert_eq!(hide("role postgres, abc"), "role postgres, abc");
    }
}
