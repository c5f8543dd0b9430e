//! The screen of active sessions, as text, at the sizes it is designed for; its keys and its gaps.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_analysis::Dimension;
use isotherm_frame::{
    ActiveSession, IoAmount, IoAmounts, IoCounters, IoPart, IoTotals, NameKind, Nanos, SessionName,
    SessionSample, Timestamp,
};
use isotherm_tui::{Action, KeyMap, LiveScreen, TopOptions, TopScreen};
use isotherm_views::{Depth, Palette, Style, Theme};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 40), (160, 50)];
const SECONDS: i64 = 70;

fn at(millis: i64) -> Timestamp {
    // 2026-11-23T12:00:00Z
    Timestamp::new((1_795_435_200_000 + millis) * 1_000_000)
}

fn session(id: &str, event: &str, sql: &str, program: &str, blocker: &str) -> ActiveSession {
    let class = event.split(':').next().unwrap();
    let arc = Arc::<str>::from;
    ActiveSession {
        session: arc(id),
        class: arc(class),
        event: arc(event),
        sql: arc(sql),
        user: arc("app"),
        program: arc(program),
        blocker: arc(blocker),
    }
}

fn named(kind: NameKind, id: &str, text: &str) -> SessionName {
    SessionName { kind, id: id.into(), text: text.into() }
}

/// Two reports read; from the 30th second on a batch holds a row that shops wait for, one more every 5
/// seconds; from 50 to 54 the connection is lost.
fn scene() -> Vec<SessionSample> {
    let mut samples = Vec::new();
    for tenth in 0..SECONDS * 10 {
        if (500..540).contains(&tenth) {
            continue;
        }
        let reads = if tenth % 3 == 0 { "CPU" } else { "IO:DataFileRead" };
        let mut sessions = vec![
            session("101", reads, "7001", "report", ""),
            session("102", "IO:DataFileRead", "7001", "report", ""),
        ];
        for shop in 0..(tenth - 300).max(0) / 50 {
            let id = (200 + shop).to_string();
            sessions.push(session(&id, "Lock:transactionid", "7002", "shop", "300"));
        }
        let names = if tenth == 0 {
            vec![
                named(NameKind::Sql, "7001", "select sum(amount) from orders where day = $1"),
                named(NameKind::Sql, "7002", "update stock set n = n - 1 where id = $1"),
                named(NameKind::Blocker, "300", "app, batch, idle in transaction"),
            ]
        } else {
            Vec::new()
        };
        samples.push(SessionSample {
            at: at(tenth * 100),
            sessions,
            names,
            ..SessionSample::default()
        });
    }
    samples
}

fn empty() -> TopScreen {
    unfed(Depth::Glyphs, Theme::Dark)
}

fn unfed(depth: Depth, theme: Theme) -> TopScreen {
    TopScreen::new(TopOptions {
        title: "postgres://monitor@db1/shop".to_owned(),
        style: Style { depth, theme, palette: Palette::IceHeat },
        column: Nanos::SECOND,
        hz: 10,
        behind: Nanos::ZERO,
        by: Dimension::Event,
        io: false,
        zone: TimeZone::UTC,
        utc: true,
        keys: Arc::new(KeyMap::default()),
        is_contained: || false,
    })
}

fn screen(depth: Depth, theme: Theme) -> TopScreen {
    let mut top = unfed(depth, theme);
    for sample in scene() {
        top.activity().push(sample);
    }
    top.tick(at(SECONDS * 1_000 - 1));
    top
}

fn draw(top: &mut TopScreen, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| top.draw(frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    let rows = rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
    rows.map(|row| row.trim_end().to_owned() + "\n").collect()
}

fn press(top: &mut TopScreen, code: KeyCode) -> Action {
    top.key(KeyEvent::new(code, KeyModifiers::NONE))
}

#[test]
fn the_screen_at_each_size() {
    for size in SIZES {
        let mut top = screen(Depth::TrueColour, Theme::Dark);
        let name = format!("{}x{}", size.0, size.1);
        insta::assert_snapshot!(name, text(&draw(&mut top, size)));
        let mut plain = screen(Depth::Ascii, Theme::Dark);
        let plain = text(&draw(&mut plain, size));
        assert!(plain.is_ascii(), "{plain}");
    }
}

#[test]
fn colour_adds_nothing_that_letters_do_not_say() {
    let plain = draw(&mut screen(Depth::Glyphs, Theme::Dark), (100, 40));
    let has_colour = |buffer: &Buffer| {
        buffer.content().iter().any(|cell| cell.bg != Color::Reset || cell.fg != Color::Reset)
    };
    assert!(!has_colour(&plain));
    for depth in [Depth::TrueColour, Depth::Indexed, Depth::Basic] {
        for theme in [Theme::Dark, Theme::Light] {
            let coloured = draw(&mut screen(depth, theme), (100, 40));
            assert_eq!(text(&coloured), text(&plain), "{depth:?} {theme:?}");
            assert!(has_colour(&coloured), "{depth:?} {theme:?}");
        }
    }
}

#[test]
fn enter_goes_down_to_the_sessions_and_escape_comes_back() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    let before = text(&draw(&mut top, (100, 40)));
    press(&mut top, KeyCode::Down);
    press(&mut top, KeyCode::Enter);
    let events = text(&draw(&mut top, (100, 40)));
    assert!(events.contains("[3 SQL]") && events.contains("of event"), "{events}");
    // The heat map of the event, in place of the strip of all.
    let title =
        "SESSIONS in IO:DataFileRead by length of wait, 1s a column · length as sampled, ±100ms";
    assert!(events.contains(title) && !events.contains("by wait class"), "{events}");
    press(&mut top, KeyCode::Enter);
    let sessions = text(&draw(&mut top, (100, 40)));
    assert!(sessions.contains("[7 session]"), "{sessions}");
    // What the statement is, and what it waits for.
    assert!(
        sessions.contains("  7001: select sum(amount) from orders where day = $1"),
        "{sessions}"
    );
    assert!(sessions.contains("event of SQL 7001") && sessions.contains("1.00"), "{sessions}");
    press(&mut top, KeyCode::Enter);
    for _ in 0..3 {
        press(&mut top, KeyCode::Esc);
    }
    press(&mut top, KeyCode::Up);
    assert_eq!(text(&draw(&mut top, (100, 40))), before);
    press(&mut top, KeyCode::Char('6'));
    let blockers = text(&draw(&mut top, (100, 40)));
    assert!(blockers.contains("▸") && blockers.contains("300  app, batch, idle in transaction"));
}

#[test]
fn the_map_of_an_event_holds_its_sessions_in_the_rows_of_their_lengths() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    press(&mut top, KeyCode::Enter);
    let shown = text(&draw(&mut top, (100, 40)));
    insta::assert_snapshot!("map", shown);
    // Without colour as well, and of every size.
    for depth in [Depth::TrueColour, Depth::Basic, Depth::Ascii] {
        let mut top = screen(depth, Theme::Light);
        press(&mut top, KeyCode::Enter);
        for size in [(20, 5), (80, 24), (300, 100)] {
            draw(&mut top, size);
        }
    }
    press(&mut top, KeyCode::Esc);
    assert!(text(&draw(&mut top, (100, 40))).contains("by wait class"));
}

#[test]
fn the_bar_of_the_chosen_row_looks_like_the_others() {
    for depth in [Depth::TrueColour, Depth::Glyphs] {
        let buffer = draw(&mut screen(depth, Theme::Dark), (100, 40));
        let row = text(&buffer).lines().position(|line| line.starts_with('▸')).unwrap();
        let cells = buffer.content().chunks(100).nth(row).unwrap();
        let is_reversed = |cell: &ratatui::buffer::Cell| {
            cell.modifier.contains(ratatui::style::Modifier::REVERSED)
        };
        let bar: Vec<bool> =
            cells.iter().filter(|cell| cell.symbol() == "█").map(is_reversed).collect();
        assert_eq!(bar, [false; 5], "{depth:?}");
        assert!(cells.first().is_some_and(is_reversed), "the row is seen to be chosen");
    }
}

#[test]
fn i_switches_to_reads_and_writes_and_back() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    let sessions = text(&draw(&mut top, (100, 40)));
    assert!(!top.shows_io());
    press(&mut top, KeyCode::Char('i'));
    assert!(top.shows_io());
    let reading = |seconds: u64, blocks: u64| IoTotals {
        at: Nanos::from_millis(seconds * 1_000),
        epochs: vec![("".into(), "1".into())],
        counters: vec![IoCounters {
            part: IoPart::File,
            instance: "".into(),
            id: "1".into(),
            name: "public.orders".into(),
            amounts: IoAmounts {
                small_reads: Some(IoAmount { operations: blocks, bytes: blocks * 8_192 }),
                ..IoAmounts::default()
            },
        }],
    };
    top.io_read(reading(1, 100));
    assert!(text(&draw(&mut top, (100, 40))).contains("waiting for the second reading"));
    top.io_read(reading(3, 500));
    let shown = text(&draw(&mut top, (100, 40)));
    // 400 blocks of 8 KiB in 2 s.
    assert!(shown.contains(" reads and writes in 2s\n"), "{shown}");
    assert!(
        shown.contains("   100%      200    1.64 MB/s                     -  public.orders"),
        "{shown}"
    );
    assert!(shown.contains("i sessions") && !shown.contains("wait class"), "{shown}");
    press(&mut top, KeyCode::Char(' '));
    top.io_read(reading(5, 9_000));
    let frozen = text(&draw(&mut top, (100, 40)));
    assert!(frozen.contains("200    1.64 MB/s"), "{frozen}");
    press(&mut top, KeyCode::Char(' '));
    top.io_missing("db1: connection refused");
    let missing = text(&draw(&mut top, (100, 40)));
    assert!(
        missing.contains("no counters of reads and writes: db1: connection refused"),
        "{missing}"
    );
    for size in [(1, 1), (20, 3), (300, 90)] {
        draw(&mut top, size);
    }
    press(&mut top, KeyCode::Esc);
    assert_eq!(text(&draw(&mut top, (100, 40))), sessions);
}

#[test]
fn a_lost_connection_is_said_and_hatched_and_a_frozen_picture_stays() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    assert!(text(&draw(&mut top, (80, 24))).contains("╱╱╱╱"), "the gap of the scene");
    let latest = top.activity().latest().unwrap();
    top.activity().lost(latest);
    top.lost("db1: the connection was lost; trying to connect again");
    press(&mut top, KeyCode::Down);
    top.tick(at(SECONDS * 1_000 + 5_000));
    assert!(top.needs_draw());
    let lost = text(&draw(&mut top, (80, 24)));
    assert!(lost.contains("○ CONNECTION LOST 5.1s") && lost.contains("⚠ db1"), "{lost}");
    top.activity().back(at(SECONDS * 1_000 + 6_000));
    top.connected();
    press(&mut top, KeyCode::Char(' '));
    let frozen = text(&draw(&mut top, (80, 24)));
    assert!(frozen.contains("❚❚ FROZEN"), "{frozen}");
    top.activity()
        .push(SessionSample { at: at(SECONDS * 1_000 + 6_500), ..SessionSample::default() });
    let after = text(&draw(&mut top, (80, 24)));
    assert_eq!(after, frozen, "samples after it change nothing");
}

#[test]
fn keys_end_the_screen_and_help_says_which() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    press(&mut top, KeyCode::Char('?'));
    let help = text(&draw(&mut top, (80, 24)));
    assert!(help.contains("quit") && help.contains("only the sessions of this row"), "{help}");
    assert_eq!(press(&mut top, KeyCode::Char('x')), Action::None);
    assert_eq!(press(&mut top, KeyCode::Char('q')), Action::Quit);
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(top.key(interrupt), Action::Quit);
}

#[test]
fn what_a_client_calls_itself_cannot_move_the_cursor() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    let hostile = session("400", "CPU", "7003", "\u{1b}[2Jevil\u{202e}", "");
    let names = vec![named(NameKind::Sql, "7003", "select '\u{1b}]0;x\u{7}'")];
    let at = at(SECONDS * 1_000);
    top.activity().push(SessionSample {
        at,
        sessions: vec![hostile],
        names,
        ..SessionSample::default()
    });
    for table in ['3', '5', '7'] {
        press(&mut top, KeyCode::Char(table));
        let shown = text(&draw(&mut top, (160, 50)));
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown}");
    }
}

#[test]
fn any_size_can_be_drawn() {
    for width in [1, 2, 7, 20, 129, 130, 300] {
        for height in [1, 2, 5, 8, 12, 100] {
            draw(&mut screen(Depth::Indexed, Theme::Light), (width, height));
        }
    }
}

fn line(top: &mut TopScreen, size: (u16, u16), number: usize) -> String {
    text(&draw(top, size)).lines().nth(number).unwrap().to_owned()
}

#[test]
fn the_headline_says_how_many_samples_are_missing_and_how_well_an_average_is_known() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    // 60 s at 10 a second, of which 4 s are lost. From 0 to 6 shops: their steps are the error.
    assert_eq!(
        line(&mut top, (80, 24), 1),
        " 4.21 ±<0.01 active sessions, last 60s · 560 of 600 samples · 9 now · most 9"
    );
    // The server is silent for 5 s more.
    top.tick(at(SECONDS * 1_000 - 1 + 5_000));
    let silent = line(&mut top, (80, 24), 1);
    assert!(silent.contains("last 60s · 510 of 600 samples"), "{silent}");
    // One sample that is on its way is not missing.
    let mut top = empty();
    for tenth in 0..75 {
        top.activity().push(SessionSample { at: at(tenth * 100), ..SessionSample::default() });
    }
    top.tick(at(7_590));
    let first = line(&mut top, (80, 24), 1);
    assert!(first.contains("0.00 ±0.00 active sessions, first 7s of 60s · 75 samples"), "{first}");
}

#[test]
fn a_warning_goes_away_and_shows_all_of_its_remedy() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    let finding = line(&mut top, (80, 24), 2);
    assert!(finding.contains("Session 300"), "{finding}");
    let remedy = "statements have no texts, which V$SQLSTATS has; a DBA can allow it with\n\
                  GRANT SELECT ON SYS.V_$SQLSTATS TO monitor;";
    top.warn(remedy);
    let shown = text(&draw(&mut top, (80, 24)));
    let shown: Vec<&str> = shown.split_whitespace().collect();
    assert!(shown.join(" ").contains(&remedy.replace('\n', " ")), "{shown:?}");
    press(&mut top, KeyCode::Down);
    assert_eq!(line(&mut top, (80, 24), 2), finding);
    top.warn(remedy);
    top.tick(at(SECONDS * 1_000));
    top.tick(at(SECONDS * 1_000 + 20_000));
    assert!(line(&mut top, (80, 24), 2).contains('⚠'));
    top.tick(at(SECONDS * 1_000 + 40_000));
    assert!(!line(&mut top, (80, 24), 2).contains('⚠'));
    // A warning does not hide that there is no connection.
    top.lost("db1: the connection was lost");
    top.warn(remedy);
    press(&mut top, KeyCode::Down);
    assert!(line(&mut top, (80, 24), 2).contains("db1: the connection was lost"));
}

#[test]
fn hidden_sessions_are_said_once_and_counted_in_the_headline() {
    let mut top = empty();
    let one = vec![session("1", "CPU", "7", "report", "")];
    for tenth in 0..30 {
        let (at, sessions) = (at(tenth * 100), one.clone());
        top.activity().push(SessionSample { at, sessions, hidden: 3, ..SessionSample::default() });
    }
    top.tick(at(3_000));
    assert!(line(&mut top, (80, 24), 2).contains("3 sessions of other users are hidden"));
    press(&mut top, KeyCode::Down);
    assert!(line(&mut top, (80, 24), 2).contains("100 % of active sessions: CPU."));
    assert!(line(&mut top, (80, 24), 1).contains(" · 3 hidden"));
}
