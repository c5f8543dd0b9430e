use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::{Durability, RecordedMark, Writer};
use isotherm_tui::{App, AppOptions, Extent, doorbell};
use isotherm_views::{Depth, Palette, Style, Theme};

use super::*;

fn frame(name: &str, second: i64, events: u64) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    (0..events).for_each(|_| counts.record(Nanos::from_micros(200)));
    let start = Timestamp::new((1_772_375_440 + second) * 1_000_000_000);
    let end = start.plus(Nanos::SECOND);
    Frame { series: Series::named(name), start, end, counts, quality: Quality::Complete }
}

fn app(seconds: std::ops::Range<i64>) -> App {
    let style = Style { depth: Depth::Ascii, theme: Theme::Dark, palette: Palette::IceHeat };
    let mut app = App::new(AppOptions::new("probe:/data", style, Nanos::SECOND));
    seconds.for_each(|second| app.push(&frame("read", second, 10)));
    app
}

fn saving(app: &App, past: Option<PathBuf>) -> Saving {
    let account = Account { records: 7, ..Account::default() };
    let kept = app.kept(Extent::Everything);
    Saving { title: "probe:/data".to_owned(), host: None, account, kept, past }
}

#[test]
fn the_past_of_the_recording_comes_before_what_is_kept_and_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.heat");
    let about = crate::about::about("probe:/data");
    let mut writer = Writer::create(&path, &about, Durability::Normal).unwrap();
    // The recording has an earlier run, and this run up to now.
    (0..50).for_each(|second| writer.write(&[frame("read", second, 10)]).unwrap());
    writer.write(&[frame("only before", 3, 5)]).unwrap();
    let (text, origin) = ("deploy".to_owned(), "test".to_owned());
    writer.mark(&RecordedMark { at: frame("", 5, 0).start, text, origin }).unwrap();
    let app = app(30..60);
    let mut saving = saving(&app, Some(path));
    saving.fetch_past();
    let account = saving.input_account();
    assert_eq!((account.events, account.read.records), (60 * 10 + 5, 7));
    assert_eq!(account.span.map(|(start, _)| start), Some(frame("", 0, 0).start));
    assert_eq!(saving.kept.marks.len(), 1);
    assert_eq!(app.kept(Extent::Everything).history.earliest(), Some(frame("", 30, 0).start));
}

#[test]
fn a_report_is_written_whole_under_a_name_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(0..60);
    let said = saving(&app, None).write(dir.path()).unwrap();
    saving(&app, None).write(dir.path()).unwrap();
    let entries = std::fs::read_dir(dir.path()).unwrap();
    let names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(said.starts_with("saved ") && said.ends_with("iB)"), "{said}");
    for name in names {
        let page = std::fs::read_to_string(&name).unwrap();
        assert!(page.trim_end().ends_with("</html>") && page.contains("probe:/data"));
        assert!(name.file_name().unwrap().to_str().unwrap().starts_with("isotherm-2"));
    }
}

#[test]
fn what_goes_wrong_is_reported() {
    let gone = Path::new("/nonexistent-directory");
    let message = saving(&app(0..3), None).write(gone).unwrap_err();
    assert!(
        message.contains("not saved") && message.contains("/nonexistent-directory"),
        "{message}"
    );
    let message = saving(&app(0..0), None).write(gone).unwrap_err();
    assert!(message.contains("no interval"), "{message}");
}

#[test]
fn one_report_is_saved_at_a_time() {
    let _ends = testing::bounded::watchdog("saving a report");
    let (bell, _door) = doorbell();
    let mut saver = Saver::new(bell);
    assert!(saver.done().is_none() && saver.wait().is_none());
    let mut nothing = saving(&app(0..0), None);
    nothing.past = Some(PathBuf::from("/nonexistent"));
    assert_eq!(saver.save(nothing), "saving the report…");
    assert_eq!(saver.save(saving(&app(0..0), None)), "still saving the last report");
    assert!(saver.wait().unwrap().is_err(), "there is nothing to report on");
    assert!(saver.wait().is_none());
}
