//! The view in a real terminal: waiting, drawing, and leaving it as it was found.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{cursor, queue, style};
use isotherm_frame::Timestamp;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use thiserror::Error;

use crate::app::App;
use crate::doorbell::{Bell, Door, Wake};
use crate::key_map::KeyMap;
use crate::options::Action;
use crate::reader::{Reader, may_end};
use crate::terminal_guard::{PanicHook, give_terminal_back, take_panics, take_terminal};
use isotherm_views::{Depth, Style};

/// What is shown in a terminal and takes its keys.
pub trait LiveScreen {
    /// What each key does.
    fn keys(&self) -> Arc<KeyMap>;

    /// Colours and glyphs of the terminal.
    fn style(&self) -> Style;

    /// Whether a panic of the thread that asks is reported by whoever started it.
    fn is_contained(&self) -> fn() -> bool;

    /// A key was pressed.
    fn key(&mut self, key: KeyEvent) -> Action;

    /// The mouse was used.
    fn mouse(&mut self, mouse: MouseEvent) -> Action;

    /// A text was pasted.
    fn paste(&mut self, text: &str);

    /// Lets time pass.
    fn tick(&mut self, now: Timestamp);

    /// Shows a warning.
    fn warn(&mut self, text: &str);

    /// Asks for a new drawing whatever is known.
    fn redraw(&mut self);

    /// Whether a new drawing would differ from the last.
    fn needs_draw(&self) -> bool;

    /// Draws all of it.
    fn draw(&mut self, frame: &mut Frame<'_>);
}

/// What feeds the view. All calls come from the thread that runs it.
pub trait Feeder<S = App> {
    /// Puts what has arrived into the view, without waiting. Called when the [`Bell`] was rung
    /// and a few times a second besides.
    fn feed(&mut self, app: &mut S) -> Flow;

    /// Does what a key asked for beyond the view: adds a mark to the recording, saves a report.
    fn act(&mut self, _app: &mut S, _action: Action) {}

    /// Stops this process until it is continued. The terminal has been given back already.
    fn suspend(&mut self) {}
}

impl<S, F: FnMut(&mut S) -> Flow> Feeder<S> for F {
    fn feed(&mut self, app: &mut S) -> Flow {
        self(app)
    }
}

/// Whether to go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End the view.
    Stop,
}

/// Flags that signal handlers set; whoever runs the view registers them.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// `SIGTERM`, `SIGHUP`, `SIGINT`: end.
    pub stop: Arc<AtomicBool>,
    /// `SIGTSTP`: give the terminal back and stop.
    pub suspend: Arc<AtomicBool>,
    /// `SIGCONT`: take the terminal again and draw everything.
    pub resume: Arc<AtomicBool>,
}

/// Why the view ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The user or a signal ended it, or the feeder did.
    Ended,
    /// The terminal went away.
    TerminalGone,
}

/// Why the view could not be shown.
#[derive(Debug, Error)]
pub enum TuiError {
    /// The terminal refused.
    #[error("the terminal cannot show the live view: {0}; use the stream view instead")]
    Terminal(#[from] io::Error),
}

/// How often signals, silence and feeders without a bell are looked at.
const TICK: Duration = Duration::from_millis(250);

/// The most columns and lines of a terminal that are used.
const MOST_COLUMNS: u16 = 1_000;
const MOST_LINES: u16 = 500;

type Screen = Terminal<CrosstermBackend<Output>>;

/// Shows the view until the user quits, a signal comes or the feeder stops. Draws only when
/// something changed. The terminal is restored on every way out, panics included.
pub fn run<S: LiveScreen>(
    app: &mut S,
    door: &Door,
    feeder: &mut dyn Feeder<S>,
    signals: &Signals,
) -> Result<Outcome, TuiError> {
    style::force_color_output(!matches!(app.style().depth, Depth::Glyphs | Depth::Ascii));
    let hook = PanicHook::install(app.is_contained());
    let outcome = Session::open(door.bell(), app.keys()).and_then(|mut session| {
        let kept = session.drive(app, door, feeder, signals)?;
        session.close(kept.then_some(&mut *app))
    });
    drop(hook);
    match outcome {
        Ok(()) => Ok(Outcome::Ended),
        Err(error) if is_gone(&error) => Ok(Outcome::TerminalGone),
        Err(error) => Err(TuiError::Terminal(error)),
    }
}

/// The part of a terminal that is drawn on: all of it, up to as many columns and lines as anybody
/// can read. Some terminals claim 60,000 of each, which would take gigabytes.
fn used(size: Size) -> Rect {
    Rect::new(0, 0, size.width.min(MOST_COLUMNS), size.height.min(MOST_LINES))
}

/// Whether the error says that nobody looks at the terminal any more.
fn is_gone(error: &io::Error) -> bool {
    // 5 is EIO: the terminal of a process whose session ended.
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(5)
}

/// Standard output, buffered by the frame. Once it failed it swallows the rest: whoever cleans up
/// after the failure has been reported already.
struct Output {
    inner: BufWriter<Stdout>,
    failed: bool,
}

impl Output {
    fn new() -> Output {
        Output { inner: BufWriter::with_capacity(64 << 10, io::stdout()), failed: false }
    }

    fn once<T>(
        &mut self,
        otherwise: T,
        work: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.failed {
            return Ok(otherwise);
        }
        let result = work(&mut self.inner);
        self.failed = result.is_err();
        result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.once(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.once((), Write::flush)
    }
}

/// A terminal taken over.
struct Session {
    screen: Screen,
    reader: Option<Reader>,
    taken: bool,
}

impl Session {
    fn open(bell: Bell, keys: Arc<KeyMap>) -> io::Result<Session> {
        take_terminal()?;
        let screen = Session::screen().inspect_err(|_| give_terminal_back())?;
        let reader = Reader::start(bell, keys).inspect_err(|_| give_terminal_back())?;
        Ok(Session { screen, reader: Some(reader), taken: true })
    }

    fn screen() -> io::Result<Screen> {
        let backend = CrosstermBackend::new(Output::new());
        let viewport = Viewport::Fixed(used(backend.size()?));
        Terminal::with_options(backend, TerminalOptions { viewport })
    }

    /// Runs until the end; gives whether the picture is to be left on the screen.
    fn drive<S: LiveScreen>(
        &mut self,
        app: &mut S,
        door: &Door,
        feeder: &mut dyn Feeder<S>,
        signals: &Signals,
    ) -> io::Result<bool> {
        let (mut wakes, keys) = (Vec::new(), app.keys());
        loop {
            let mut held = false;
            for wake in wakes.drain(..) {
                held |= matches!(&wake, Wake::Terminal(event) if may_end(&keys, event));
                match take(app, wake)? {
                    Action::Quit => return Ok(false),
                    Action::QuitLeavingPicture => return Ok(true),
                    Action::Suspend => signals.suspend.store(true, Ordering::Relaxed),
                    Action::None => {}
                    action @ (Action::Mark(..) | Action::Save(_)) => feeder.act(app, action),
                }
            }
            let flow = feeder.feed(app);
            app.tick(now());
            for message in take_panics() {
                app.warn(&message);
            }
            if flow == Flow::Stop || signals.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            self.obey(app, feeder, signals)?;
            if let Some(reader) = self.reader.as_ref().filter(|_| held) {
                reader.go_on();
            }
            if app.needs_draw() {
                self.paint(app)?;
            }
            wakes = door.wait(TICK);
        }
    }

    /// Suspends and resumes as the signals say.
    fn obey<S: LiveScreen>(
        &mut self,
        app: &mut S,
        feeder: &mut dyn Feeder<S>,
        signals: &Signals,
    ) -> io::Result<()> {
        if signals.suspend.swap(false, Ordering::Relaxed) {
            self.release();
            feeder.suspend();
            signals.resume.store(true, Ordering::Relaxed);
        }
        if signals.resume.swap(false, Ordering::Relaxed) {
            take_terminal()?;
            self.taken = true;
            self.screen.resize(used(self.screen.size()?))?;
            app.redraw();
        }
        Ok(())
    }

    fn paint<S: LiveScreen>(&mut self, app: &mut S) -> io::Result<()> {
        let area = used(self.screen.size()?);
        if area != self.screen.get_frame().area() {
            self.screen.resize(area)?;
        }
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        self.screen.draw(|frame| app.draw(frame))?;
        queue!(self.screen.backend_mut(), EndSynchronizedUpdate)?;
        Backend::flush(self.screen.backend_mut())
    }

    /// Gives the terminal back, with the picture on the normal screen if there is one to leave.
    fn close<S: LiveScreen>(mut self, left: Option<&mut S>) -> io::Result<()> {
        drop(self.reader.take());
        self.release();
        let Some(app) = left else { return Ok(()) };
        let size = used(self.screen.size()?);
        // A line is left for the prompt that comes after.
        let area = Rect::new(0, 0, size.width, size.height.saturating_sub(1));
        let mut output = Output::new();
        write!(output, "{}", "\r\n".repeat(usize::from(size.height)))?;
        let viewport = TerminalOptions { viewport: Viewport::Fixed(area) };
        let mut screen = Terminal::with_options(CrosstermBackend::new(output), viewport)?;
        screen.draw(|frame| app.draw(frame))?;
        queue!(screen.backend_mut(), cursor::MoveTo(0, area.height), cursor::Show)?;
        Backend::flush(screen.backend_mut())
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.taken) {
            give_terminal_back();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.release();
        // The screen shows the cursor when it is dropped and complains on standard error if that
        // fails, which panics when the terminal that both lead to has closed. It fails here once;
        // after that the output swallows everything.
        let _ = self.screen.show_cursor();
    }
}

/// Hands to the view what woke it.
fn take<S: LiveScreen>(app: &mut S, wake: Wake) -> io::Result<Action> {
    match wake {
        Wake::Terminal(Event::Key(key)) if key.kind != KeyEventKind::Release => Ok(app.key(key)),
        Wake::Terminal(Event::Mouse(mouse)) => Ok(app.mouse(mouse)),
        Wake::Terminal(Event::Paste(text)) => {
            app.paste(&text);
            Ok(Action::None)
        }
        // However many sizes came, the drawing after them asks for the last one only.
        Wake::Terminal(Event::Resize(..)) => {
            app.redraw();
            Ok(Action::None)
        }
        Wake::Terminal(_) | Wake::Data => Ok(Action::None),
        Wake::TerminalLost(error) => Err(error),
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_claims_to_be_huge_is_used_in_part() {
        assert_eq!(used(Size::new(60_000, 60_000)), Rect::new(0, 0, 1_000, 500));
        assert_eq!(used(Size::new(120, 40)), Rect::new(0, 0, 120, 40));
    }
}
