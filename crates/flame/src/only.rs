//! Frames chosen by their names.

use regex::bytes::{Regex, RegexBuilder};

use crate::frame_name::{KERNEL, plain};
use crate::names::NameId;
use crate::stacks::{StackId, Stacks};

/// Which frames of each stack are kept.
#[derive(Clone, Debug)]
pub enum Only {
    /// Row sources of Oracle: what runs the steps of a plan, and the call that fetches.
    RowSources,
    /// Functions with a name such as `k*`. Those of the operating system's kernel are none of them.
    Names(Regex),
    /// Frames that an expression is found in.
    Pattern(Regex),
}

impl Only {
    /// Reads `rowsource`, a name with `*` in it, or a regular expression.
    pub fn parse(text: &str) -> Result<Only, String> {
        if text == "rowsource" || text == "rowsources" {
            return Ok(Only::RowSources);
        }
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*';
        if text.contains('*') && text.chars().all(in_name) {
            let pattern = format!("^{}$", text.replace('*', ".*"));
            return Ok(Only::Names(compiled(&pattern)?));
        }
        Ok(Only::Pattern(compiled(text)?))
    }

    fn keeps(&self, name: &str) -> bool {
        let is_kernel = name.ends_with(KERNEL);
        match self {
            Only::RowSources => !is_kernel && is_row_source(plain(name)),
            Only::Names(pattern) => !is_kernel && pattern.is_match(plain(name).as_bytes()),
            Only::Pattern(pattern) => pattern.is_match(name.as_bytes()),
        }
    }

    /// Whether any frame is kept, beyond the outermost of each stack.
    pub fn matches_any(&self, stacks: &Stacks) -> bool {
        let kept: Vec<bool> = stacks.names().map(|name| self.keeps(name)).collect();
        let is_kept = |frame: &NameId| kept.get(*frame as usize).is_some_and(|kept| *kept);
        stacks.iter().any(|(_, frames, _)| frames.iter().skip(1).any(is_kept))
    }

    /// The stacks with only these frames and the outermost, which is the program; with the new number
    /// of each old one. Every count stays.
    pub fn apply(&self, stacks: &Stacks) -> (Stacks, Vec<StackId>) {
        let kept: Vec<bool> = stacks.names().map(|name| self.keeps(name)).collect();
        stacks.mapped(|frames, made| {
            let outermost = frames.iter().take(1);
            let others = frames.iter().skip(1);
            let others =
                others.filter(|&&frame| kept.get(frame as usize).is_some_and(|kept| *kept));
            let names = outermost.chain(others).map(|&frame| stacks.name(frame));
            names.map(|name| made.name_id(name.as_bytes())).collect()
        })
    }
}

/// Whether a function is of a row source. `qerst` measures the others and hides them if it is shown.
fn is_row_source(name: &str) -> bool {
    (name.starts_with("qer") && !name.starts_with("qerst")) || name.starts_with("opifch")
}

/// An expression over bytes: what it finds in names of any alphabet is decided byte by byte.
pub(crate) fn compiled(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).unicode(false).size_limit(1 << 20).build();
    built.map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::write_folded;

    fn only(choice: &str) -> String {
        let mut stacks = Stacks::default();
        stacks.add_named(
            &["oracle", "opifch2", "qerstFetch", "qertbFetch", "kcbgtcr", "ksys_read_[k]"],
            5,
        );
        stacks.add_named(&["oracle", "opifch2", "qertbFetch", "kdst"], 2);
        stacks.add_named(&["oracle", "epoll_wait"], 1);
        let mut text = Vec::new();
        let (kept, numbers) = Only::parse(choice).unwrap().apply(&stacks);
        assert_eq!((kept.total(), numbers.len()), (8, 3));
        write_folded(&kept, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn frames_are_chosen_and_counts_stay() {
        assert_eq!(only("rowsource"), "oracle 1\noracle;opifch2;qertbFetch 7\n");
        assert_eq!(only("k*"), "oracle 1\noracle;kcbgtcr 5\noracle;kdst 2\n");
        assert_eq!(
            only("^k|wait$"),
            "oracle;epoll_wait 1\noracle;kcbgtcr;ksys_read_[k] 5\noracle;kdst 2\n"
        );
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        assert!(Only::parse("a(b").is_err());
        assert!(Only::parse("(a{1000}){1000}").is_err());
    }
}
