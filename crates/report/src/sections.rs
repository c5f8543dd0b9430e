//! Sections in every form of a report.

use std::fmt::Write as _;

use crate::bars_svg::bars_svg;
use crate::chart::{ChartLook, chart_svg};
use crate::heat_svg::heat_svg;
use crate::markup::{escaped, inline};
use isotherm_views::section::{Detail, RowLinks, Section, Table};

/// The width of a chart in a page, in pixels; the page stretches it.
const CHART: u32 = 620;
/// The columns and rows of a chart in Markdown.
const TEXT: (usize, usize) = (90, 24);

/// The sections of a page, with or without scripts; `flame` is markup that stands behind them.
pub(super) fn html(sections: &[Section], flame: &str, page: &mut String) {
    if sections.is_empty() && flame.is_empty() {
        return;
    }
    page.push_str("<div id=\"sections\">\n");
    for section in sections {
        let _ = writeln!(page, "<section class=\"part\">\n<h2>{}</h2>", escaped(&section.title));
        list(&section.sentences, page);
        if !section.charts.is_empty() {
            page.push_str("<div class=\"charts\">\n");
            for chart in &section.charts {
                page.push_str(&chart_svg(chart, CHART, ChartLook::Page));
            }
            page.push_str("</div>\n");
        }
        section.bars.iter().for_each(|bars| page.push_str(&bars_svg(bars)));
        section.grids.iter().for_each(|grid| page.push_str(&heat_svg(grid)));
        for (at, sheet) in section.tables.iter().enumerate() {
            table(sheet, section.links.as_ref().filter(|_| at == 0), page);
        }
        section.details.iter().for_each(|one| detail(one, page));
        page.push_str("</section>\n");
    }
    page.push_str(flame);
    page.push_str("</div>\n");
}

fn list(sentences: &[String], page: &mut String) {
    if sentences.is_empty() {
        return;
    }
    page.push_str("<ul class=\"sentences\">\n");
    for sentence in sentences {
        let _ = writeln!(page, "<li>{}</li>", escaped(sentence));
    }
    page.push_str("</ul>\n");
}

/// What opens by a click, and what opens in it.
fn detail(one: &Detail, page: &mut String) {
    let _ = writeln!(page, "<details><summary>{}</summary>", escaped(&one.summary));
    list(&one.sentences, page);
    one.tables.iter().for_each(|sheet| table(sheet, None, page));
    one.details.iter().for_each(|one| detail(one, page));
    page.push_str("</details>\n");
}

fn table(sheet: &Table, links: Option<&RowLinks>, page: &mut String) {
    let caption = escaped(&sheet.caption);
    let words: Vec<bool> = (0..sheet.head.len()).map(|column| is_of_words(sheet, column)).collect();
    let class = |column: usize| {
        if words.get(column).copied().unwrap_or(false) { " class=\"words\"" } else { "" }
    };
    let _ = write!(
        page,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: {caption}\">\
         <table>\n<caption>{caption}</caption>\n<thead><tr>"
    );
    for (column, head) in sheet.head.iter().enumerate() {
        let _ = write!(page, "<th scope=\"col\"{}>{}</th>", class(column), escaped(head));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (at, row) in sheet.rows.iter().enumerate() {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let cell = match links.and_then(|links| links.href(at, column)) {
                Some(href) => format!("<a href=\"{}\">{}</a>", escaped(href), escaped(cell)),
                None => escaped(cell),
            };
            let _ = match column {
                0 => write!(page, "<th scope=\"row\">{cell}</th>"),
                _ if is_bars(&cell) => write!(page, "<td class=\"bars\">{cell}</td>"),
                _ => write!(page, "<td{}>{cell}</td>", class(column)),
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

/// Whether a column has cells and fewer than half of them are numbers.
fn is_of_words(sheet: &Table, column: usize) -> bool {
    let cells = sheet.rows.iter().filter_map(|row| row.get(column));
    let cells = cells.filter(|cell| !cell.is_empty() && *cell != "-");
    let (numbers, words): (Vec<&String>, Vec<&String>) = cells.partition(|cell| is_number(cell));
    words.len() > numbers.len()
}

/// Whether a cell is a distribution in bars.
fn is_bars(cell: &str) -> bool {
    !cell.trim().is_empty() && cell.chars().all(|bar| bar == ' ' || ('▁'..='█').contains(&bar))
}

/// Whether a cell stands to the right.
fn is_number(cell: &str) -> bool {
    let mut letters = cell.chars();
    match letters.next() {
        Some('+' | '-' | '−' | '<' | '>' | '±' | '×' | '≈') => {
            letters.next().is_some_and(|letter| letter.is_ascii_digit() || letter == '.')
        }
        first => first.is_some_and(|letter| letter.is_ascii_digit()),
    }
}

/// The sections as Markdown.
pub(super) fn markdown(sections: &[Section], page: &mut String) {
    for section in sections {
        let _ = writeln!(page, "\n## {}\n", inline(&section.title));
        for sentence in &section.sentences {
            let _ = writeln!(page, "- {}", inline(sentence));
        }
        for chart in &section.charts {
            drawing(&chart.text(TEXT.0, TEXT.1, false), page);
        }
        section.bars.iter().for_each(|bars| drawing(&bars.text(TEXT.0, false), page));
        section.grids.iter().for_each(|grid| drawing(&grid.text(TEXT.0, false), page));
        section.tables.iter().for_each(|sheet| markdown_table(sheet, page));
        section.details.iter().for_each(|one| markdown_detail(one, 3, page));
    }
}

/// A picture in characters.
fn drawing(text: &str, page: &mut String) {
    // Text from an input must not end the block it stands in.
    let drawn = text.replace("```", "'''");
    let _ = write!(page, "\n```text\n{drawn}```\n");
}

/// What opens in a page stands open in a text, under a heading of this level.
fn markdown_detail(one: &Detail, level: usize, page: &mut String) {
    let _ = writeln!(page, "\n{} {}\n", "#".repeat(level.min(6)), inline(&one.summary));
    for sentence in &one.sentences {
        let _ = writeln!(page, "- {}", inline(sentence));
    }
    one.tables.iter().for_each(|sheet| markdown_table(sheet, page));
    one.details.iter().for_each(|one| markdown_detail(one, level + 1, page));
}

fn markdown_table(sheet: &Table, page: &mut String) {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escape = |cells: &[String]| line(cells.iter().map(|cell| inline(cell)).collect());
    let rule = |column: usize| {
        if column == 0 || is_of_words(sheet, column) { "---".to_owned() } else { "--:".to_owned() }
    };
    let _ = write!(page, "\n{}\n\n{}", inline(&sheet.caption), escape(&sheet.head));
    page.push_str(&line((0..sheet.head.len()).map(rule).collect()));
    for row in &sheet.rows {
        page.push_str(&escape(row));
    }
}
