//! The modules of a crate: the file of each, the names it has, and the paths that its code uses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, ItemMod, ItemUse, Visibility};

use crate::uses::{Import, Segments, Uses, imports, is_for_tests, path_at};

/// How many re-exports are followed from a name to its definition.
const MOST_STEPS: usize = 10;

/// The words after which a macro's text defines a name.
const DEFINES: [&str; 7] = ["const", "enum", "fn", "static", "struct", "trait", "type"];

/// The modules of a crate; the first is its root.
#[derive(Default)]
pub struct Modules {
    /// The files, in the order in which they were met.
    pub files: Vec<PathBuf>,
    /// The modules, each after its parent.
    pub all: Vec<Module>,
}

/// One module: a file, or a part of one.
pub struct Module {
    /// Its place in [`Modules::files`].
    pub file: usize,
    /// The paths that its code uses.
    pub used: Vec<Segments>,
    /// What it imports for itself: a `pub use` is none.
    pub imported: Vec<Segments>,
    /// The macros that it defines, by name.
    macros: BTreeMap<String, Made>,
    parent: usize,
    names: BTreeMap<String, Vec<Name>>,
    globs: Vec<Segments>,
}

/// What a name of a module stands for.
enum Name {
    Item,
    Module(usize),
    Import(Segments),
}

/// What a call of a macro gives, as far as its definition shows.
#[derive(Clone, Default)]
struct Made {
    /// The items that it defines.
    names: Vec<String>,
    /// What is taken from its words: of `$word::a::b`, what follows the word.
    taken: Vec<Segments>,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// To an item that this file defines, by its name.
    Item(usize, String),
    /// To this module.
    Module(usize),
}

impl Modules {
    /// Reads a crate from the file that is its root, without what is for tests alone.
    pub fn read(root: &Path) -> Result<Modules> {
        let mut modules = Modules::default();
        let directory = root.parent().unwrap_or(Path::new("")).to_owned();
        modules.read_file(0, root, &directory)?;
        Ok(modules)
    }

    /// Where a path leads that is written in a module: usually to one item, to several where a name
    /// is that of a module and of a function, and nowhere where it is not of this crate.
    pub fn resolve(&self, module: usize, path: &[String]) -> Vec<Target> {
        self.follow(module, path, MOST_STEPS)
    }

    /// Reads a file as a module whose children are in `directory`, and gives its number.
    fn read_file(&mut self, parent: usize, file: &Path, directory: &Path) -> Result<usize> {
        let place = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(place)?;
        let parsed = syn::parse_file(&text).with_context(place)?;
        self.files.push(file.to_owned());
        let module = self.add(parent, self.files.len() - 1);
        self.read_items(module, &parsed.items, directory)?;
        Ok(module)
    }

    fn add(&mut self, parent: usize, file: usize) -> usize {
        let (names, globs) = (BTreeMap::new(), Vec::new());
        let (used, imported) = (Vec::new(), Vec::new());
        let macros = BTreeMap::new();
        self.all.push(Module { file, used, imported, macros, parent, names, globs });
        self.all.len() - 1
    }

    fn read_items(&mut self, module: usize, items: &[Item], directory: &Path) -> Result<()> {
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            match item {
                Item::Mod(item) => self.read_module(module, item, directory)?,
                Item::Use(item) => self.all[module].read_use(item),
                Item::Macro(item) if item.ident.is_none() => {
                    self.read_list(module, item, directory)?;
                }
                item => self.all[module].read_item(item),
            }
        }
        Ok(())
    }

    fn read_module(&mut self, parent: usize, item: &ItemMod, directory: &Path) -> Result<()> {
        let name = item.ident.to_string();
        let inner = directory.join(&name);
        let child = if let Some((_, items)) = &item.content {
            let child = self.add(parent, self.all[parent].file);
            self.read_items(child, items, &inner)?;
            child
        } else {
            let Some(file) = file_of(directory, &name) else {
                bail!("{}: there is no file of the module {name}", directory.display());
            };
            self.read_file(parent, &file, &inner)?
        };
        self.all[parent].name(name, Name::Module(child));
        Ok(())
    }

    /// Reads a call of a macro. Its words may declare modules, as in `sources![one, two]`: those
    /// that are names of files do, and that is no use of them. A macro of the same module gives its
    /// names too, and uses of what it takes from each word.
    fn read_list(&mut self, module: usize, item: &syn::ItemMacro, directory: &Path) -> Result<()> {
        let made = item
            .mac
            .path
            .get_ident()
            .and_then(|name| self.all[module].macros.get(&name.to_string()));
        let made = made.cloned().unwrap_or_default();
        for name in made.names {
            self.all[module].name(name, Name::Item);
        }
        for token in item.mac.tokens.clone() {
            let TokenTree::Ident(name) = token else { continue };
            let name = name.to_string();
            let taken = made.taken.iter().map(|rest| [slice::from_ref(&name), rest].concat());
            self.all[module].used.extend(taken);
            if !self.all[module].names.contains_key(&name)
                && let Some(file) = file_of(directory, &name)
            {
                let child = self.read_file(module, &file, &directory.join(&name))?;
                self.all[module].name(name, Name::Module(child));
            }
        }
        self.all[module].read_uses(|uses| uses.visit_macro(&item.mac));
        Ok(())
    }

    fn follow(&self, module: usize, path: &[String], steps: usize) -> Vec<Target> {
        let Some(steps) = steps.checked_sub(1) else { return Vec::new() };
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut found = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => vec![Target::Module(self.all[module].parent)],
            name => self.look_up(module, name, steps),
        };
        for name in rest {
            let inner = found.iter().find_map(|target| match target {
                Target::Module(inner) => Some(*inner),
                Target::Item(..) => None,
            });
            found = match inner {
                Some(inner) if name == "super" => vec![Target::Module(self.all[inner].parent)],
                Some(inner) => self.look_up(inner, name, steps),
                // The rest is a variant, or another part of an item.
                None => break,
            };
        }
        found
    }

    fn look_up(&self, module: usize, name: &str, steps: usize) -> Vec<Target> {
        let held = &self.all[module];
        let mut found = Vec::new();
        for one in held.names.get(name).into_iter().flatten() {
            match one {
                Name::Item => found.push(Target::Item(held.file, name.to_owned())),
                Name::Module(inner) => found.push(Target::Module(*inner)),
                Name::Import(path) => found.extend(self.follow(module, path, steps)),
            }
        }
        if found.is_empty() {
            let Some(steps) = steps.checked_sub(1) else { return found };
            for glob in &held.globs {
                for target in self.follow(module, glob, steps) {
                    if let Target::Module(inner) = target {
                        found.extend(self.look_up(inner, name, steps));
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }
}

impl Made {
    fn by(definition: TokenStream) -> Made {
        let mut made = Made::default();
        made.read(&definition.into_iter().collect::<Vec<_>>());
        made
    }

    fn read(&mut self, tokens: &[TokenTree]) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    self.read(&group.stream().into_iter().collect::<Vec<_>>());
                }
                TokenTree::Ident(word) if DEFINES.contains(&word.to_string().as_str()) => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                        self.names.push(name.to_string());
                    }
                }
                TokenTree::Punct(dollar) if dollar.as_char() == '$' => {
                    let (path, _) = path_at(tokens, at + 1);
                    if let [_, taken @ ..] = path.as_slice()
                        && !taken.is_empty()
                    {
                        self.taken.push(taken.to_vec());
                    }
                }
                _ => {}
            }
        }
    }
}

impl Module {
    fn name(&mut self, name: String, meaning: Name) {
        self.names.entry(name).or_default().push(meaning);
    }

    fn read_use(&mut self, item: &ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        for import in imports(&item.tree) {
            match import {
                Import::All(path) => self.globs.push(path),
                Import::Name(name, path) => {
                    if is_private {
                        self.imported.push(path.clone());
                    }
                    self.name(name, Name::Import(path));
                }
            }
        }
    }

    fn read_item(&mut self, item: &Item) {
        if let Item::Macro(item) = item
            && let Some(name) = &item.ident
        {
            self.macros.insert(name.to_string(), Made::by(item.mac.tokens.clone()));
        }
        if let Some(name) = name_of(item) {
            self.name(name, Name::Item);
        }
        self.read_uses(|uses| uses.visit_item(item));
    }

    fn read_uses(&mut self, read: impl FnOnce(&mut Uses)) {
        let mut uses = Uses::default();
        read(&mut uses);
        self.used.extend(uses.paths);
    }
}

fn file_of(directory: &Path, name: &str) -> Option<PathBuf> {
    let files = [directory.join(format!("{name}.rs")), directory.join(name).join("mod.rs")];
    files.into_iter().find(|file| file.is_file())
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
