//! Which paths a piece of code uses.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprCall, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree,
};

/// The segments of a path.
pub type Segments = Vec<String>;

/// The paths that code uses, in the order of the text. A single name in lower case is a path only
/// where it is called: elsewhere it is most often a variable.
#[derive(Default)]
pub struct Uses {
    /// Every path that may lead to an item.
    pub paths: Vec<Segments>,
}

/// What a `use` brings in.
#[derive(Debug, PartialEq, Eq)]
pub enum Import {
    /// A name, and the path that it stands for.
    Name(String, Segments),
    /// All names of a module.
    All(Segments),
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Segments = path.segments.iter().map(|one| one.ident.to_string()).collect();
        if path.leading_colon.is_none() && is_path(&segments) {
            self.paths.push(segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(function) = &*call.func
            && let Some(name) = function.path.get_ident()
        {
            self.paths.push(vec![name.to_string()]);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.paths.extend(imports(&item.tree).into_iter().map(|import| match import {
            Import::Name(_, path) | Import::All(path) => path,
        }));
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}
}

impl Uses {
    /// The paths among the tokens of a macro.
    pub fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(_) if !follows_dot(&tokens, at) => {
                    let (segments, end) = path_at(&tokens, at);
                    if is_path(&segments) || is_called(&tokens, end) {
                        self.paths.push(segments);
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The path that begins at a token, and where it ends.
pub fn path_at(tokens: &[TokenTree], mut at: usize) -> (Segments, usize) {
    let mut segments = Vec::new();
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        segments.push(name.to_string());
        at += 1;
        if !(is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')) {
            break;
        }
        at += 2;
    }
    (segments, at)
}

fn follows_dot(tokens: &[TokenTree], at: usize) -> bool {
    at > 0 && is_punct(tokens.get(at - 1), '.')
}

fn is_called(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

fn is_punct(token: Option<&TokenTree>, letter: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == letter)
}

fn is_path(segments: &[String]) -> bool {
    match segments {
        [one] => one != "Self" && one.starts_with(char::is_uppercase),
        _ => true,
    }
}

/// What a tree of `use` brings in, name by name.
pub fn imports(tree: &UseTree) -> Vec<Import> {
    let mut found = Vec::new();
    import(tree, &[], &mut found);
    found
}

fn import(tree: &UseTree, before: &[String], found: &mut Vec<Import>) {
    let and = |name: String| before.iter().cloned().chain([name]).collect::<Segments>();
    match tree {
        UseTree::Path(path) => import(&path.tree, &and(path.ident.to_string()), found),
        UseTree::Name(name) => found.push(named(before, &name.ident.to_string(), None)),
        UseTree::Rename(name) => {
            found.push(named(before, &name.ident.to_string(), Some(name.rename.to_string())));
        }
        UseTree::Glob(_) => found.push(Import::All(before.to_vec())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| import(tree, before, found)),
    }
}

/// `use a::b`, and `use a::{self}`, which is `use a`.
fn named(before: &[String], name: &str, rename: Option<String>) -> Import {
    let mut path = before.to_vec();
    if name != "self" || path.is_empty() {
        path.push(name.to_owned());
    }
    let last = path.last().cloned().unwrap_or_default();
    Import::Name(rename.unwrap_or(last), path)
}

/// Whether attributes keep an item for tests alone: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, ..))]`.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = || attribute.meta.require_list().map(|list| list.tokens.clone());
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && condition().is_ok_and(names_tests)
    })
}

/// Whether a condition of `cfg` is `test`, or `all(..)` with it.
pub fn names_tests(condition: TokenStream) -> bool {
    let mut tokens = condition.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(name)), None) => name == "test",
        (Some(TokenTree::Ident(name)), Some(TokenTree::Group(all))) if name == "all" => {
            all.stream().into_iter().any(|token| token.to_string() == "test")
        }
        _ => false,
    }
}
