//! A source file as text: which lines are for tests alone, and the strings and names that it
//! holds.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::rooms::sources;
use crate::uses::names_tests;

/// One file of Rust.
pub struct SourceText {
    /// Relative to the root.
    pub path: String,
    /// All of it.
    pub text: String,
    /// The strings of its code, comments and tests aside, with the lines in which they begin.
    pub strings: Vec<(usize, String)>,
    /// The names of its code, comments and tests aside, with their lines.
    pub names: Vec<(usize, String)>,
    /// Lines that are for tests alone; all of them in a file of tests.
    tests: Vec<RangeInclusive<usize>>,
    /// Modules in files of their own that are for tests alone.
    test_modules: Vec<String>,
}

impl SourceText {
    /// Reads every file of the crates' code and of their tests; examples and benchmarks are neither.
    pub fn all(root: &Path) -> Result<Vec<SourceText>> {
        let mut all = Vec::new();
        let is_read =
            |path: &PathBuf| !path.iter().any(|part| part == "examples" || part == "benches");
        for path in sources(&root.join("crates"))?.into_iter().filter(is_read) {
            all.push(SourceText::read(root, &path)?);
        }
        let test_files: Vec<PathBuf> = all.iter().flat_map(SourceText::test_files).collect();
        for file in &mut all {
            let path = Path::new(&file.path).with_extension("");
            if is_of_tests(&path) || test_files.iter().any(|tests| path.starts_with(tests)) {
                file.tests = vec![1..=usize::MAX];
                file.strings.clear();
                file.names.clear();
            }
        }
        Ok(all)
    }

    fn read(root: &Path, path: &Path) -> Result<SourceText> {
        let place = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(place)?;
        let tokens: TokenStream =
            text.parse().map_err(|error| anyhow!("{error}")).with_context(place)?;
        let path = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let (strings, names, tests) = (Vec::new(), Vec::new(), Vec::new());
        let mut file = SourceText { path, text, strings, names, tests, test_modules: Vec::new() };
        file.walk(tokens);
        Ok(file)
    }

    /// Whether a line, counted from 1, is for tests alone.
    pub fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }

    /// The files of its modules that are for tests alone, without the end of their names.
    fn test_files(&self) -> Vec<PathBuf> {
        let path = Path::new(&self.path).with_extension("");
        let is_root = ["lib", "main", "mod"].iter().any(|name| path.ends_with(name));
        let directory = if is_root { path.parent().unwrap_or(&path) } else { &path };
        self.test_modules.iter().map(|name| directory.join(name)).collect()
    }

    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if let Some((attribute, end)) = attribute(&tokens, at) {
                at = end;
                if is_doc(&attribute) {
                    continue;
                }
                if is_test_attribute(&attribute) {
                    at = self.skip_item(&tokens, at);
                } else {
                    self.walk(attribute);
                }
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => self.walk(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(string) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        self.strings.push((literal.span().start().line, string.value()));
                    }
                }
                TokenTree::Ident(name) => {
                    self.names.push((name.span().start().line, name.to_string()));
                }
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// Notes the lines of an item for tests that begins at a token, and gives where it ends.
    fn skip_item(&mut self, tokens: &[TokenTree], begin: usize) -> usize {
        let is_end = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        let length = tokens[begin..].iter().position(is_end).unwrap_or(0);
        let item = &tokens[begin..(begin + length + 1).min(tokens.len())];
        if let (Some(first), Some(last)) = (item.first(), item.last()) {
            self.tests.push(first.span().start().line..=last.span().end().line);
        }
        let words: Vec<String> = item.iter().map(ToString::to_string).collect();
        if let [.., keyword, name, end] = &words[..]
            && (keyword, end) == (&"mod".to_owned(), &";".to_owned())
        {
            self.test_modules.push(name.clone());
        }
        begin + item.len()
    }
}

/// Whether a file, without its ending, is for tests alone.
pub fn is_of_tests(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("tests") || path.iter().any(|part| part == "tests")
}

/// The content of the attribute that begins at a token, and where it ends.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(TokenStream, usize)> {
    let is = |at: usize, letter: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == letter);
    let open = if is(at + 1, '!') { at + 2 } else { at + 1 };
    match tokens.get(open) {
        Some(TokenTree::Group(group)) if is(at, '#') && group.delimiter() == Delimiter::Bracket => {
            Some((group.stream(), open + 1))
        }
        _ => None,
    }
}

fn is_doc(attribute: &TokenStream) -> bool {
    attribute.clone().into_iter().next().is_some_and(|word| word.to_string() == "doc")
}

fn is_test_attribute(attribute: &TokenStream) -> bool {
    let mut tokens = attribute.clone().into_iter();
    match (tokens.next().map(|word| word.to_string()).as_deref(), tokens.next()) {
        (Some("test"), None) => true,
        (Some("cfg"), Some(TokenTree::Group(condition))) => names_tests(condition.stream()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn strings_are_those_of_code_without_comments_and_tests() {
        let text = "//! \"no\"\n/// no\n#[error(\"one {0}\")]\nstruct E(u8);\n\
                    fn f() { say!(\"two\", b\"no\"); /* \"no\" */ }\n\
                    #[cfg(test)]\nmod tests { const X: &str = \"no\"; }\n\
                    const R: &str = r#\"three\"#;\n";
        let root =
            tree(&[("crates/a/src/lib.rs", text), ("crates/a/tests/all.rs", "fn f() { \"no\" }")]);
        let all = SourceText::all(root.path()).unwrap();
        let strings: Vec<(usize, &str)> = all
            .iter()
            .flat_map(|file| &file.strings)
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(strings, [(3, "one {0}"), (5, "two"), (8, "three")]);
    }

    #[test]
    fn files_that_only_tests_declare_are_tests() {
        let root = tree(&[
            ("crates/a/src/lib.rs", "mod b;\n#[cfg(test)]\npub(crate) mod story;\nfn f() {}\n"),
            ("crates/a/src/story/mod.rs", "fn x() {}"),
            ("crates/a/src/story/inner.rs", "fn x() {}"),
            ("crates/a/src/b.rs", "#[cfg(test)]\nmod case;\n"),
            ("crates/a/src/b/case.rs", "fn x() {}"),
            ("crates/a/src/b/other.rs", "fn x() {}"),
        ]);
        let all = SourceText::all(root.path()).unwrap();
        let tests: Vec<&str> =
            all.iter().filter(|file| file.is_test(1)).map(|file| file.path.as_str()).collect();
        assert_eq!(
            tests,
            ["crates/a/src/b/case.rs", "crates/a/src/story/inner.rs", "crates/a/src/story/mod.rs"]
        );
        assert!(all.iter().any(|file| file.path.ends_with("lib.rs") && file.is_test(3)));
    }
}
