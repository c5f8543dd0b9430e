//! How many values a function takes: those of a tuple that is taken apart count one by one.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use syn::visit::{self, Visit};
use syn::{FnArg, ImplItemFn, ItemFn, ItemImpl, ItemMod, Pat, Signature, TraitItemFn};

use crate::rooms::sources;
use crate::source_text::is_of_tests;
use crate::uses::is_for_tests;

/// The most values that a function takes, its `self` among them.
const MOST: usize = 7;

/// Functions that take more, one line each. Tests and benchmarks are not looked at.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in sources(&root.join("crates"))? {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let is_example = |part: &OsStr| part == "examples" || part == "benches";
        if is_of_tests(&file.with_extension("")) || file.iter().any(is_example) {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| name.clone())?;
        let mut wide = Wide { name, found: Vec::new() };
        wide.visit_file(&syn::parse_file(&text).with_context(|| wide.name.clone())?);
        found.extend(wide.found);
    }
    Ok(found)
}

/// The functions of a file that take too much.
struct Wide {
    name: String,
    found: Vec<String>,
}

impl Wide {
    fn judge(&mut self, signature: &Signature) {
        let taken: usize = signature.inputs.iter().map(values).sum();
        if taken > MOST {
            let (name, line) = (&self.name, signature.ident.span().start().line);
            self.found.push(format!(
                "{name}:{line}: {} takes {taken} values, at most {MOST}",
                signature.ident
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Wide {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.judge(&item.sig);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.judge(&item.sig);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.judge(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn values(argument: &FnArg) -> usize {
    match argument {
        FnArg::Receiver(_) => 1,
        FnArg::Typed(argument) => parts(&argument.pat),
    }
}

fn parts(pattern: &Pat) -> usize {
    match pattern {
        Pat::Tuple(tuple) => tuple.elems.iter().map(parts).sum(),
        Pat::Paren(inner) => parts(&inner.pat),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    #[test]
    fn values_of_tuples_count_one_by_one() {
        let text = "fn seven((a, b): (u8, u8), c: (u8, u8), d: u8, e: u8, f: u8, g: u8) {}\n\
                    struct S;\nimpl S {\n    fn eight(&self, ((a, b), c): ((u8, u8), u8), d: u8, e: u8, f: u8, g: u8) {}\n}\n\
                    #[cfg(test)]\nmod tests { fn t(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) {} }\n";
        let root = tree(&[("crates/one/src/lib.rs", text)]);
        let expected = ["crates/one/src/lib.rs:4: eight takes 8 values, at most 7"];
        assert_eq!(check(root.path()).unwrap(), expected);
    }
}
