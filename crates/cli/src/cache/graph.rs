//! A model in the terminal, and its graph or its JSON in a file.

use std::fmt::Write as _;
use std::path::Path;

use isotherm_cache::Preset;
use isotherm_frame::numbers::counted;
use isotherm_report::{CachePage, CacheWords, GraphView, cache_html, cache_png, cache_svg};
use isotherm_views::{Document, OutputForm};
use serde::Serialize;
use serde_json::Value;

use crate::cache_graph_args::GraphArgs;
use crate::choices::DocumentFormat;
use crate::document::{self, DocumentFile};
use crate::failure::{Code, Failure};
use crate::output::Kind;
use crate::report::command_line;
use crate::screen;

/// A model that is drawn as a graph.
pub struct Graph<'a, R> {
    pub document: Document,
    /// What programs read.
    pub result: R,
    /// What the model is of, in one line.
    pub facts: String,
    pub words: CacheWords,
    /// What is drawn, as the page has it.
    pub picture: &'a dyn Fn() -> serde_json::Result<Value>,
}

/// Where a model goes, by the name of the file, before anything is run.
pub fn file(
    path: Option<&Path>,
    force: bool,
    args: GraphArgs,
) -> Result<Option<DocumentFile>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let forms = [Kind::Page, Kind::Svg, Kind::Png, Kind::Json];
    if let (Kind::Json, Some(option)) = (Kind::of_ending(path, &forms)?, args.given()) {
        return Err(Failure::usage(format!(
            "{option} has no effect on JSON, which has no picture: leave it out, or end {} in .html, .svg or .png",
            path.display()
        )));
    }
    DocumentFile::check::<&Path>(path, &forms, force, &[]).map(Some)
}

impl<R: Serialize> Graph<'_, R> {
    /// Prints the model and writes its file. The content of the file is made first: if that fails, as for a
    /// `--moment` beyond the run, nothing is printed.
    pub fn give(
        &self,
        file: Option<&DocumentFile>,
        form: (DocumentFormat, bool),
        args: GraphArgs,
    ) -> Result<(), Failure> {
        let made = file.map(|file| self.content(file.kind, args).map(|content| (file, content)));
        let made = made.transpose()?;
        document::print(form, &self.document, &self.result)?;
        made.map_or(Ok(()), |(file, content)| file.put(&content))
    }

    fn content(&self, kind: Kind, args: GraphArgs) -> Result<Vec<u8>, Failure> {
        if kind == Kind::Json {
            return Ok(document::json(&self.result)?.into_bytes());
        }
        let page = self.page(args)?;
        let mut content = Vec::new();
        let made = match kind {
            Kind::Svg => cache_svg(&page).map(|svg| content = svg.into_bytes()),
            Kind::Png => cache_png(&page, &mut content),
            _ => cache_html(&page, &mut content),
        };
        made.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
        Ok(content)
    }

    fn page(&self, args: GraphArgs) -> Result<CachePage, Failure> {
        let picture = (self.picture)();
        let picture = picture.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
        let view = view(args, &picture)?;
        let Document { title, mut sections, .. } = self.document.clone();
        let notes = sections.iter_mut().flat_map(|section| std::mem::take(&mut section.sentences));
        Ok(CachePage {
            title,
            facts: self.facts.clone(),
            notes: notes.collect(),
            picture,
            words: self.words,
            view,
            sections,
            command: command_line(),
        })
    }
}

/// Prints presets, and what each shows.
pub fn list<S>(presets: &[Preset<S>]) -> Result<(), Failure> {
    let widest = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let text = presets.iter().fold(String::new(), |mut text, preset| {
        let _ = writeln!(text, "{:<widest$}  {}", preset.name, preset.about);
        text
    });
    screen::print(OutputForm::Text, &text)
}

/// What is shown of a picture; a run of few references has fewer moments than may be asked for.
fn view(args: GraphArgs, picture: &Value) -> Result<GraphView, Failure> {
    let view = args.view();
    let moments = picture["moments"].as_array().map_or(0, Vec::len);
    match view.moment {
        Some(at) if at >= moments => Err(Failure::usage(format!(
            "--moment {}: this run has {}",
            at + 1,
            counted(moments as u64, "moment")
        ))),
        _ => Ok(view),
    }
}
