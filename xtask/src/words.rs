//! Words that make a reader stop, in what users read: the pages, and the strings of the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::known;
use crate::source_text::SourceText;

/// How often each word is in each directory, in `xtask/known`: `COUNT DIRECTORY: WORD`.
pub const KNOWN: &str = "words.txt";

/// What not to write, and what instead.
const DISCOURAGED: [(&str, &str); 19] = [
    ("those due meanwhile are left out", "those due meanwhile are skipped"),
    ("handed over", "submitted"),
    ("passed by", "bypassed, skipped"),
    ("passed over", "skipped"),
    ("so many", "a number, or the name of what is counted"),
    ("so much", "a number, or the name of what is measured"),
    ("such of", "those that"),
    ("s/s", "waiting, on average"),
    ("sessions waiting", "waiting, on average"),
    ("doubt", "warning"),
    ("doubts", "warnings"),
    ("Ended:", "Finished"),
    ("told", "said, given, set"),
    ("what lies there", "what is selected"),
    ("whose", "with, of which"),
    ("in vain", "without success"),
    ("the said", "this"),
    ("the given", "this"),
    ("come out otherwise", "not repeatable"),
];

/// What not to call things in code, and what instead: words in a name, in either case.
const DISCOURAGED_NAMES: [(&str, &str); 12] = [
    ("name told", "message, reported, or what it is"),
    ("name untold", "unreported, or what it is"),
    ("name heard", "received, or what it is"),
    ("name happening", "event"),
    ("name trouble", "error, failure"),
    ("name doubt", "warning"),
    ("name doubts", "warnings"),
    ("name crew", "workers"),
    ("name gatherer", "aggregator"),
    ("name roster", "backends, or what is listed"),
    ("name witness", "sample"),
    ("name wishes", "options, preferences"),
];

/// Where discouraged words are, by directory and word: `path:line` of each.
type Places = BTreeMap<(String, &'static str), Vec<String>>;

/// Words that are there more often than is known, and known counts that are too high.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let places = places(root)?;
    let known = counts(root)?;
    let mut found = Vec::new();
    for ((directory, word), at) in &places {
        let most = known.get(&(directory.clone(), (*word).to_owned())).copied().unwrap_or(0);
        if at.len() > most {
            let mut all = DISCOURAGED.iter().chain(&DISCOURAGED_NAMES);
            let instead = all.find(|(one, _)| one == word).map_or("", |one| one.1);
            found.push(format!(
                "{directory}: \"{word}\" {} times, at most {most}; write \"{instead}\" or the like \
                 at one of {}",
                at.len(),
                at.join(" ")
            ));
        }
    }
    found.extend(known.iter().filter_map(|((directory, word), most)| {
        let now = count(&places, directory, word);
        (now < *most).then(|| {
            format!(
                "xtask/known/{KNOWN}: {directory}: \"{word}\" {now} times, no longer {most}; run \
                 `cargo xtask bless`"
            )
        })
    }));
    Ok(found)
}

/// Every count as the list would have it.
pub fn list(root: &Path) -> Result<Vec<String>> {
    let line = |((directory, word), at): (&(String, &str), &Vec<String>)| {
        format!("{} {directory}: {word}", at.len())
    };
    Ok(places(root)?.iter().map(line).collect())
}

/// Lowers the counts of the list to what is there; raises none.
pub fn bless(root: &Path) -> Result<()> {
    let places = places(root)?;
    known::keep(root, KNOWN, |line| {
        let Some((most, directory, word)) = parsed(line) else { return Some(line.to_owned()) };
        let now = count(&places, directory, word).min(most);
        (now > 0).then(|| format!("{now} {directory}: {word}"))
    })
}

fn count(places: &Places, directory: &str, word: &str) -> usize {
    let same = |key: &&(String, &str)| key.0 == directory && key.1 == word;
    places.keys().find(same).map_or(0, |key| places[key].len())
}

fn counts(root: &Path) -> Result<BTreeMap<(String, String), usize>> {
    let mut counts = BTreeMap::new();
    for line in known::lines(root, KNOWN)? {
        let (count, directory, word) = parsed(&line)
            .with_context(|| format!("xtask/known/{KNOWN}: not `COUNT DIRECTORY: WORD`: {line}"))?;
        counts.insert((directory.to_owned(), word.to_owned()), count);
    }
    Ok(counts)
}

fn parsed(line: &str) -> Option<(usize, &str, &str)> {
    let (count, rest) = line.split_once(' ')?;
    let (directory, word) = rest.split_once(": ")?;
    Some((count.parse().ok()?, directory, word))
}

fn places(root: &Path) -> Result<Places> {
    let mut places = Places::new();
    for file in pages(root)? {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        add(&mut places, &name, 1, &text);
    }
    for file in SourceText::all(root)? {
        for (line, text) in &file.strings {
            add(&mut places, &file.path, *line, text);
        }
        for (line, name) in &file.names {
            add_name(&mut places, &file.path, *line, name);
        }
    }
    Ok(places)
}

/// README and every page under `docs`.
fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![root.join("README.md")];
    let mut open = vec![root.join("docs")];
    while let Some(directory) = open.pop().filter(|directory| directory.is_dir()) {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.retain(|file| file.is_file());
    found.sort();
    Ok(found)
}

fn add_name(places: &mut Places, file: &str, line: usize, name: &str) {
    let words = words_of(name);
    let directory = file.rsplit_once('/').map_or(".", |(directory, _)| directory);
    for (key, _) in DISCOURAGED_NAMES {
        let word = key.trim_start_matches("name ");
        if words.iter().any(|one| one == word) {
            let place = format!("{file}:{line}");
            places.entry((directory.to_owned(), key)).or_default().push(place);
        }
    }
}

/// The words of a name, in lower case: `overlap_told` and `OverlapTold` have two.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = None;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        if letter == '_' || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
        before = Some(letter);
    }
    words
}

fn add(places: &mut Places, name: &str, first_line: usize, text: &str) {
    let directory = name.rsplit_once('/').map_or(".", |(directory, _)| directory);
    let is_glossary = name.ends_with("glossary.md");
    for (word, _) in DISCOURAGED {
        if word == "s/s" && is_glossary {
            continue;
        }
        for line in lines_with(text, word) {
            let place = format!("{name}:{}", first_line + line);
            places.entry((directory.to_owned(), word)).or_default().push(place);
        }
    }
}

/// The lines, counted from 0, in which a word or phrase begins; a phrase may go on in the next.
fn lines_with(text: &str, phrase: &str) -> Vec<usize> {
    let mut joined = String::new();
    let mut begins = Vec::new();
    for (line, content) in text.lines().enumerate() {
        for word in content.split_whitespace() {
            begins.push((joined.len(), line));
            joined.push_str(word);
            joined.push(' ');
        }
    }
    let joined = joined.to_ascii_lowercase();
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let is_whole = |at: usize| {
        let end = at + phrase.len();
        !is_letter(joined[..at].chars().next_back())
            && (phrase.ends_with(':') || !is_letter(joined[end..].chars().next()))
    };
    joined
        .match_indices(&phrase.to_ascii_lowercase())
        .filter(|(at, _)| is_whole(*at))
        .map(|(at, _)| begins[begins.partition_point(|(begin, _)| *begin <= at) - 1].1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{tree, write};

    #[test]
    fn words_are_found_whole_in_either_case_and_across_lines() {
        assert_eq!(lines_with("Told you\n  retold, told", "told"), [0, 1]);
        assert_eq!(lines_with("a\nthere are so\n  many of", "so many"), [1]);
        assert_eq!(lines_with("16.0 s/s; (s/s) µs/s bytes/s", "s/s"), [0, 0]);
        assert_eq!(lines_with("Ended: the time was over", "Ended:"), [0]);
        assert_eq!(lines_with("undoubtedly", "doubt"), [0; 0]);
    }

    #[test]
    fn names_are_looked_at_word_by_word() {
        assert_eq!(words_of("overlap_told"), ["overlap", "told"]);
        assert_eq!(words_of("OverlapTold"), ["overlap", "told"]);
        assert_eq!(words_of("MOST_TOLD"), ["most", "told"]);
        let root = tree(&[
            ("README.md", ""),
            (
                "crates/a/src/lib.rs",
                "fn told() {\n    let untoldness = Told;\n}\n#[cfg(test)]\nmod tests {\n    fn told() {}\n}\n",
            ),
        ]);
        assert_eq!(list(root.path()).unwrap(), ["2 crates/a/src: name told"]);
    }

    #[test]
    fn counts_may_only_shrink() {
        let root = tree(&[
            ("README.md", "nothing"),
            ("docs/guide/a.md", "told\nand told"),
            ("docs/guide/glossary.md", "s/s"),
            ("crates/a/src/lib.rs", "/// told\nfn f() {\n    say(\"no doubt told\");\n}\n"),
        ]);
        assert_eq!(
            list(root.path()).unwrap(),
            ["1 crates/a/src: doubt", "1 crates/a/src: told", "2 docs/guide: told"]
        );
        let known = "1 crates/a/src: doubt\n1 crates/a/src: told\n";
        write(root.path(), "xtask/known/words.txt", &format!("{known}1 docs/guide: told\n"));
        let found = check(root.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("docs/guide: \"told\" 2 times, at most 1;"), "{}", found[0]);
        assert!(found[0].ends_with("docs/guide/a.md:1 docs/guide/a.md:2"), "{}", found[0]);

        write(root.path(), "xtask/known/words.txt", &format!("{known}3 docs/guide: told\n"));
        assert_eq!(
            check(root.path()).unwrap(),
            ["xtask/known/words.txt: docs/guide: \"told\" 2 times, no longer 3; run `cargo xtask \
              bless`"]
        );
        bless(root.path()).unwrap();
        assert_eq!(check(root.path()).unwrap(), [""; 0]);
    }
}
