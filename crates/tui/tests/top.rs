//! The screen of active sessions, as text, at the sizes it is designed for; its keys and its gaps.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_analysis::Dimension;
use isotherm_frame::{ActiveSession, NameKind, Nanos, SessionName, SessionSample, Timestamp};
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

fn screen(depth: Depth, theme: Theme) -> TopScreen {
    let mut top = TopScreen::new(TopOptions {
        title: "postgres://monitor@db1/shop".to_owned(),
        style: Style { depth, theme, palette: Palette::IceHeat },
        column: Nanos::SECOND,
        hz: 10,
        by: Dimension::Event,
        zone: TimeZone::UTC,
        utc: true,
        keys: Arc::new(KeyMap::default()),
        is_contained: || false,
    });
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
    press(&mut top, KeyCode::Enter);
    let sessions = text(&draw(&mut top, (100, 40)));
    assert!(sessions.contains("[7 session]"), "{sessions}");
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
fn a_lost_connection_is_said_and_hatched_and_a_frozen_picture_stays() {
    let mut top = screen(Depth::Glyphs, Theme::Dark);
    assert!(text(&draw(&mut top, (80, 24))).contains("╱╱╱╱"), "the gap of the scene");
    let latest = top.activity().latest().unwrap();
    top.activity().lost(latest);
    top.warn("db1: the connection was lost; trying to connect again");
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
