//! What there is to say of the window, and what the source said besides.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::view::View;
use super::{ink, text};

/// All sentences, each begun on a line of its own; what the source said besides.
pub(super) fn lines(view: View<'_>, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for sentence in &view.scene.story.sentences {
        lines.extend(item(" · ", sentence, width).map(Line::from));
    }
    if lines.is_empty() {
        lines.push(Line::from(" nothing can be said of this window yet"));
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    for message in view.app.ledger.messages().rev() {
        let lead = if message.warns { " ⚠ " } else { "   " };
        let said = item(lead, &message.text, width);
        lines.extend(said.map(|line| Line::from(Span::styled(line, quiet))));
    }
    lines
}

fn item(lead: &'static str, text: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    let wrapped = text::wrapped(text, width.saturating_sub(4));
    let lead = move |index| if index == 0 { lead } else { "   " };
    wrapped.into_iter().enumerate().map(move |(index, part)| format!("{}{part}", lead(index)))
}
