//! Which frames are shown, and under which names.

use std::fs;
use std::path::Path;

use isotherm_flame::{Only, Relabel, Script, StackId, Stacks};

use super::args::PictureArgs;
use super::input::Read;
use crate::failure::{Code, Failure};
use crate::screen;

/// The longest script that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What happens to frames before they are drawn.
pub struct Frames {
    only: Option<(String, Only)>,
    relabel: Relabel,
}

impl Frames {
    /// What the command line says.
    pub fn of(args: &PictureArgs) -> Result<Frames, Failure> {
        let only = match &args.frames {
            None => None,
            Some(text) => {
                let only = Only::parse(text)
                    .map_err(|error| Failure::usage(format!("--frames {text}: {error}")))?;
                Some((text.clone(), only))
            }
        };
        let script = args.sed.as_deref().map(script).transpose()?;
        Ok(Frames { only, relabel: Relabel { oracle: args.oracle, script } })
    }

    /// The stacks as they are drawn. Every count stays.
    pub fn apply(&self, mut read: Read) -> Result<Read, Failure> {
        if let Some((text, only)) = &self.only {
            if !only.matches_any(&read.stacks) {
                let text = format!("{}: no frame matches --frames {text}", read.input.name);
                return Err(Failure::unmatched(text));
            }
            read.put(only.apply(&read.stacks));
        }
        if !self.relabel.is_nothing() {
            read.put(self.relabel.apply(&read.stacks));
        }
        Ok(read)
    }

    /// What is to be known of the picture.
    pub fn remarks(&self) -> Vec<String> {
        let only = self.only.as_ref().map(|(text, only)| {
            let what = match only {
                Only::RowSources => "row sources of Oracle".to_owned(),
                _ => format!("frames that match {text}"),
            };
            format!("Only {what} are shown, and the outermost frame below them; stacks without one end there.")
        });
        let oracle = self.relabel.oracle.then(|| {
            "Functions of Oracle's kernel stand in brackets behind what they do: row sources as in \
             os_explain, others by the layer of the kernel that their name begins with."
                .to_owned()
        });
        let script = self.relabel.script.as_ref().map(|script| {
            format!("Functions are renamed by {} commands of a sed script.", script.len())
        });
        only.into_iter().chain(oracle).chain(script).collect()
    }
}

impl Read {
    fn put(&mut self, (stacks, numbers): (Stacks, Vec<StackId>)) {
        for (_, stack) in &mut self.samples {
            *stack = numbers.get(*stack as usize).copied().unwrap_or(0);
        }
        self.stacks = stacks;
    }
}

/// Reads a sed script, and says what of it is not understood.
fn script(path: &Path) -> Result<Script, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Code::Runtime, format!("{}: cannot read: {error}", path.display()))
    };
    if fs::metadata(path).map_err(failed)?.len() > MOST_BYTES {
        return Err(Failure::usage(format!(
            "{}: this is too large for a sed script",
            path.display()
        )));
    }
    let text = String::from_utf8_lossy(&fs::read(path).map_err(failed)?).into_owned();
    let script = Script::parse(&text);
    if let Some(first) = script.skipped.first() {
        screen::warn(&format!(
            "{}: {} lines are not understood and left out, the first is line {}: {}; known are \
             s/PATTERN/TEXT/ with the flags g and I, and /PATTERN/d",
            path.display(),
            script.skipped.len(),
            first.line,
            first.text
        ));
    }
    if script.is_empty() {
        let text = format!("{}: no substitution in it, such as s/qerix/INDEX: /g", path.display());
        return Err(Failure::usage(text));
    }
    Ok(script)
}
