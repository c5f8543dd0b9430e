//! What commands are called in a configuration file.

use crate::keys::Command;

/// The word of every command that can be given other keys.
pub const WORDS: [(&str, Command); 46] = {
    use Command as Do;
    [
        ("quit", Do::Quit),
        ("quit-leaving-picture", Do::QuitLeavingPicture),
        ("suspend", Do::Suspend),
        ("redraw", Do::Redraw),
        ("help", Do::Help),
        ("close", Do::Close),
        ("freeze", Do::Freeze),
        ("pan-back", Do::PanBack),
        ("pan-forward", Do::PanForward),
        ("page-back", Do::PageBack),
        ("page-forward", Do::PageForward),
        ("oldest", Do::Oldest),
        ("newest", Do::Newest),
        ("zoom-in", Do::ZoomIn),
        ("zoom-out", Do::ZoomOut),
        ("all-time", Do::FitAll),
        ("cursor-left", Do::CursorLeft),
        ("cursor-right", Do::CursorRight),
        ("cursor-far-left", Do::CursorFarLeft),
        ("cursor-far-right", Do::CursorFarRight),
        ("row-up", Do::RowUp),
        ("row-down", Do::RowDown),
        ("row-far-up", Do::RowFarUp),
        ("row-far-down", Do::RowFarDown),
        ("select", Do::Select),
        ("select-columns", Do::SelectColumns),
        ("explain", Do::Explain),
        ("pane", Do::Pane),
        ("describe", Do::Describe),
        ("baseline", Do::Baseline),
        ("compare", Do::Compare),
        ("save", Do::Save),
        ("save-shown", Do::SaveShown),
        ("other-map", Do::Focus),
        ("scale", Do::Scale),
        ("pin", Do::Pin),
        ("percentiles", Do::Percentiles),
        ("palette", Do::Palette),
        ("theme", Do::Theme),
        ("utc", Do::Utc),
        ("who-waits", Do::Switcher),
        ("next", Do::NextSeries),
        ("previous", Do::PreviousSeries),
        ("together", Do::Merged),
        ("mark", Do::Mark),
        ("reads-and-writes", Do::Io),
    ]
};

/// The words of the commands that can be given other keys.
pub fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, _)| *word)
}
