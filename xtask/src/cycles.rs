//! Files of a crate that need each other: neither can be read, moved or tested without the other.
//!
//! A file needs another if its code, tests aside, uses an item that the other defines, however many
//! re-exports lie between. Declaring a module or re-exporting from it is no need.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::known;
use crate::modules::{Modules, Target};

/// The list of cycles that were there when the check was made, in `xtask/known`.
pub const KNOWN: &str = "cycles.txt";

/// The items, by name, that a file takes from another: `(from, to)` by path.
type Needs = BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>;

/// Files that need each other, and what ties them.
struct Cycle {
    /// Sorted, relative to the root.
    files: Vec<String>,
    ties: Vec<String>,
}

/// Cycles that are not known, and known ones that are no longer there.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let cycles = cycles(root)?;
    let known = known::lines(root, KNOWN)?;
    let mut found: Vec<String> = cycles
        .iter()
        .filter(|cycle| !known.contains(&cycle.line()))
        .map(|cycle| format!("files need each other: {}", cycle.explained()))
        .collect();
    let is_cycle = |line: &String| cycles.iter().any(|cycle| cycle.line() == *line);
    found.extend(
        known.iter().filter(|line| !is_cycle(line)).map(|line| {
            format!("xtask/known/{KNOWN}: no longer a cycle, take the line out: {line}")
        }),
    );
    Ok(found)
}

/// Every cycle with what ties its files, known ones too.
pub fn list(root: &Path) -> Result<Vec<String>> {
    Ok(cycles(root)?.iter().map(Cycle::explained).collect())
}

/// Takes known cycles that are no more out of the list.
pub fn bless(root: &Path) -> Result<()> {
    let cycles = cycles(root)?;
    known::keep(root, KNOWN, |line| {
        cycles.iter().any(|cycle| cycle.line() == line).then(|| line.to_owned())
    })
}

impl Cycle {
    fn line(&self) -> String {
        self.files.join(" ")
    }

    fn explained(&self) -> String {
        let mut text = self.line();
        for tie in &self.ties {
            let _ = write!(text, "\n    {tie}");
        }
        text
    }
}

fn cycles(root: &Path) -> Result<Vec<Cycle>> {
    let crates = root.join("crates");
    let mut needs = Needs::new();
    for entry in fs::read_dir(&crates).with_context(|| crates.display().to_string())? {
        let source = entry?.path().join("src");
        for name in ["lib.rs", "main.rs"] {
            let file = source.join(name);
            if file.is_file() {
                add_needs(&Modules::read(&file)?, root, &mut needs);
            }
        }
    }
    Ok(groups(&needs).iter().map(|group| cycle(group, &needs)).collect())
}

fn add_needs(modules: &Modules, root: &Path, needs: &mut Needs) {
    let named = |file: usize| {
        let file = &modules.files[file];
        file.strip_prefix(root).unwrap_or(file).to_owned()
    };
    for (number, module) in modules.all.iter().enumerate() {
        let used = module.used.iter().flat_map(|path| modules.resolve(number, path));
        let imported = module.imported.iter().flat_map(|path| imported(modules, number, path));
        for target in used.chain(imported) {
            if let Target::Item(file, item) = target
                && file != module.file
            {
                needs.entry((named(module.file), named(file))).or_default().insert(item);
            }
        }
    }
}

/// What an import is for: where a module has the name of a function, the module. Calling the function
/// is a use of its own.
fn imported(modules: &Modules, module: usize, path: &[String]) -> Vec<Target> {
    let targets = modules.resolve(module, path);
    let is_module = |target: &Target| matches!(target, Target::Module(_));
    if targets.iter().any(is_module) { Vec::new() } else { targets }
}

/// The groups of files of which each is reached from every other.
fn groups(needs: &Needs) -> BTreeSet<BTreeSet<&PathBuf>> {
    let mut next: BTreeMap<&PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    for (from, to) in needs.keys() {
        next.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        next.keys().map(|file| (*file, reached(file, &next))).collect();
    let leads =
        |from: &PathBuf, to: &PathBuf| reached.get(from).is_some_and(|all| all.contains(to));
    let group = |file: &&PathBuf| {
        let file = *file;
        reached[file].iter().copied().filter(|other| leads(other, file)).collect()
    };
    next.keys().map(group).filter(|group: &BTreeSet<&PathBuf>| group.len() > 1).collect()
}

fn reached<'a>(
    from: &PathBuf,
    next: &BTreeMap<&'a PathBuf, Vec<&'a PathBuf>>,
) -> BTreeSet<&'a PathBuf> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&PathBuf> = next.get(from).cloned().unwrap_or_default();
    while let Some(file) = open.pop() {
        if found.insert(file) {
            open.extend(next.get(file).into_iter().flatten());
        }
    }
    found
}

fn cycle(group: &BTreeSet<&PathBuf>, needs: &Needs) -> Cycle {
    let tie = |((from, to), items): (&(PathBuf, PathBuf), &BTreeSet<String>)| {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        (group.contains(from) && group.contains(to)).then(|| {
            format!("{} takes from {}: {}", from.display(), to.display(), items.join(", "))
        })
    };
    Cycle {
        files: group.iter().map(|file| file.display().to_string()).collect(),
        ties: needs.iter().filter_map(tie).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{tree, write};

    /// Each with what must be found of it.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let root = tree(files);
        cycles(root.path()).unwrap().iter().map(Cycle::line).collect()
    }

    const LIB: (&str, &str) = ("crates/one/src/lib.rs", "mod a;\nmod b;\npub use a::A;\n");

    #[test]
    fn two_files_that_use_each_other_are_a_cycle() {
        let a = ("crates/one/src/a.rs", "use crate::b::b;\npub struct A;\nfn x() { b() }\n");
        let b = ("crates/one/src/b.rs", "pub fn b() { let _ = crate::A; }\n");
        assert_eq!(found(&[LIB, a, b]), ["crates/one/src/a.rs crates/one/src/b.rs"]);
    }

    #[test]
    fn what_only_tests_use_is_none() {
        let a = (
            "crates/one/src/a.rs",
            "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::b; }\n\
             #[cfg(all(test, unix))]\nuse crate::b::b;\n#[test]\nfn t() { crate::b::b() }\n",
        );
        let b = ("crates/one/src/b.rs", "use super::A;\npub fn b() -> A { A }\n");
        assert_eq!(found(&[LIB, a, b]), [""; 0]);
    }

    #[test]
    fn declaring_and_re_exporting_is_none_but_using_what_is_re_exported_is() {
        let child = ("crates/one/src/a.rs", "use super::Parent;\npub struct A(Parent);\n");
        let b = ("crates/one/src/b.rs", "");
        let parent = |rest: &str| {
            let text = format!("{}pub struct Parent;\n{rest}", LIB.1);
            found(&[(LIB.0, &text), child, b])
        };
        let cycle = ["crates/one/src/a.rs crates/one/src/lib.rs"];
        assert_eq!(parent(""), [""; 0]);
        assert_eq!(parent("fn f(a: A) {}"), cycle);
        assert_eq!(parent("fn f() { vec![A] }"), cycle);
        assert_eq!(parent("fn f() { a::A::new() }"), cycle);
        assert_eq!(parent("fn f() { use a::A as B; }"), cycle);
        assert_eq!(parent("fn f(text: &str) { text.a() }"), [""; 0]);
    }

    #[test]
    fn names_are_followed_through_modules_globs_and_renames() {
        let lib = ("crates/one/src/lib.rs", "mod a;\nmod b;\nmod c;\n");
        let a = (
            "crates/one/src/a.rs",
            "mod quantile;\npub use quantile::quantile;\npub use super::c::*;\n",
        );
        let inner =
            ("crates/one/src/a/quantile.rs", "use super::Deep as D;\npub fn quantile(_: D) {}\n");
        let b = ("crates/one/src/b.rs", "pub fn b() {}\n");
        let c = (
            "crates/one/src/c/mod.rs",
            "use crate::a::{self, quantile};\npub struct Deep;\nfn f() { a::quantile(Deep) }\n",
        );
        assert_eq!(
            found(&[lib, a, inner, b, c]),
            ["crates/one/src/a/quantile.rs crates/one/src/c/mod.rs"]
        );
    }

    #[test]
    fn importing_a_module_is_none_even_if_a_function_has_its_name() {
        let lib = ("crates/one/src/lib.rs", "mod a;\nmod b;\npub fn a() { b::b() }\n");
        let a = ("crates/one/src/a.rs", "pub struct A;\n");
        let b = |text: &'static str| ("crates/one/src/b.rs", text);
        let module = b("use super::a;\npub fn b() { let _ = a::A; }\n");
        assert_eq!(found(&[lib, a, module]), [""; 0]);
        let function = b("use super::a;\npub fn b() { a() }\n");
        assert_eq!(found(&[lib, a, function]), ["crates/one/src/b.rs crates/one/src/lib.rs"]);
    }

    #[test]
    fn a_list_of_modules_declares_them_and_uses_none() {
        let lib = (
            "crates/one/src/lib.rs",
            "pub trait Source {}\nmacro_rules! sources { ($($m:ident),*) => { $(mod $m;)* }; }\n\
             sources![a, b];\n",
        );
        let a = ("crates/one/src/a.rs", "use crate::Source;\nuse crate::b::B;\npub struct A;\n");
        let b = ("crates/one/src/b.rs", "pub struct B(crate::a::A);\n");
        assert_eq!(found(&[lib, a, b]), ["crates/one/src/a.rs crates/one/src/b.rs"]);
    }

    #[test]
    fn what_a_macro_takes_from_its_words_is_used_by_what_it_defines() {
        let lib = (
            "crates/one/src/lib.rs",
            "macro_rules! list { ($($m:ident),*) => { pub static ALL: &[u8] = &[$($m::ONE),*]; }; }\n\
             mod a;\nmod b;\nmod c;\nlist![a];\n",
        );
        let a = ("crates/one/src/a.rs", "pub const ONE: u8 = crate::b::two();\n");
        let b = |text: &'static str| ("crates/one/src/b.rs", text);
        let c = ("crates/one/src/c.rs", "pub fn c() -> &'static [u8] { crate::ALL }\n");
        assert_eq!(found(&[lib, a, b("pub const fn two() -> u8 { 2 }\n"), c]), [""; 0]);
        let back = b("use crate::c::c;\npub const fn two() -> u8 { c()[0] }\n");
        let cycle =
            ["a", "b", "c", "lib"].map(|name| format!("crates/one/src/{name}.rs")).join(" ");
        assert_eq!(found(&[lib, a, back, c]), [cycle]);
    }

    #[test]
    fn the_list_of_known_ones_may_only_get_shorter() {
        let a = ("crates/one/src/a.rs", "use crate::b::B;\npub struct A;\n");
        let b = ("crates/one/src/b.rs", "use crate::a::A;\npub struct B;\n");
        let root = tree(&[LIB, a, b]);
        let new = check(root.path()).unwrap();
        assert_eq!(
            new,
            ["files need each other: crates/one/src/a.rs crates/one/src/b.rs\n    \
              crates/one/src/a.rs takes from crates/one/src/b.rs: B\n    \
              crates/one/src/b.rs takes from crates/one/src/a.rs: A"]
        );
        let line = "crates/one/src/a.rs crates/one/src/b.rs";
        write(root.path(), "xtask/known/cycles.txt", &format!("# why\n{line}\n"));
        assert_eq!(check(root.path()).unwrap(), [""; 0]);
        write(root.path(), "crates/one/src/b.rs", "pub struct B;\n");
        assert_eq!(
            check(root.path()).unwrap(),
            [format!("xtask/known/cycles.txt: no longer a cycle, take the line out: {line}")]
        );
        bless(root.path()).unwrap();
        assert_eq!(check(root.path()).unwrap(), [""; 0]);
    }
}
