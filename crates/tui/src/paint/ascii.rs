//! Everything in ASCII, for terminals that have nothing else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Replaces what is not ASCII by what looks most like it.
pub(crate) fn translate(area: Rect, buffer: &mut Buffer) {
    for position in area.positions() {
        let Some(cell) = buffer.cell_mut(position) else { continue };
        if !cell.symbol().is_ascii() {
            let letter = cell.symbol().chars().next().unwrap_or(' ');
            cell.set_char(similar(letter));
        }
    }
}

fn similar(letter: char) -> char {
    match letter {
        'µ' => 'u',
        'Σ' => 'S',
        'Δ' => 'D',
        '≈' => '~',
        '–' | '─' | '▃' => '-',
        '·' | '…' | '▁' | '▏' | '▎' | '┄' => '.',
        '▂' | '▍' | '║' => ':',
        '▄' | '▌' | '▋' | '━' => '=',
        '▆' | '●' | '○' | '■' | '◆' => '*',
        '▇' | '█' | '▊' | '▉' => '#',
        '│' | '┃' | '❚' | '┆' => '|',
        '▶' | '▸' | '→' => '>',
        '◀' | '←' => '<',
        '▲' | '↑' => '^',
        '▼' | '↓' => 'v',
        '⚠' => '!',
        '×' => 'x',
        '╱' => '/',
        '▅' | '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┏' | '┓' | '┗' | '┛' => {
            '+'
        }
        _ => '?',
    }
}
