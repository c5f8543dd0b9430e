#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use isotherm_formats::{BufferCell, LevelKind};

use super::*;
use crate::oracle::scripted::{Reply, Scripted, no_view};

fn read(text: &'static str, touches: bool) -> Result<BufferContents, OpenError> {
    let server = Scripted::new(move |_| Reply::Lines(text.to_owned()));
    logged_on(Box::new(server), touches)?.read()
}

#[test]
fn buffers_are_counted_by_object_state_and_class() {
    let text = "I|19.0.0.0.0|ORCL1\n\
                B|xcur|N|40|1|73|TABLE|APP.ORDERS P|1\n\
                B|xcur|Y|2|1|73|TABLE|APP.ORDERS P|1\n\
                B|cr|N|5|1|73|TABLE|APP.ORDERS P|1\n\
                B|xcur|N|1|4|73|TABLE|APP.ORDERS P|1\n\
                B|xcur|N|7|34|4294967295|\n\
                B|xcur|N|3|1|99|\n\
                B|securefile|N|6|1|80|LOB|APP.PAPERS\n\
                B|free|N|64|0|0|\n.\n";
    let contents = read(text, false).unwrap();
    assert_eq!(contents.server, "Oracle 19.0.0.0.0, instance ORCL1");
    let of = |name: &str, kind: &str| {
        let found = contents.holders.iter().find(|one| one.name == name && one.kind == kind);
        found.unwrap_or_else(|| panic!("{name} {kind}: {contents:?}")).clone()
    };
    // A name may hold what divides fields.
    let orders = of("APP.ORDERS P|1", "table");
    assert_eq!(orders.cells[0], BufferCell { buffers: 42, dirty: 2, pinned: 0 });
    assert_eq!((orders.cells[2].buffers, orders.sum().buffers), (5, 47));
    assert_eq!(of("APP.ORDERS P|1", "segment header").sum().buffers, 1);
    assert_eq!(of("undo", "undo block").sum().buffers, 7);
    assert_eq!(of("object 99", "").sum().buffers, 3);
    // A state that came with a later release is a level of its own.
    assert_eq!(contents.levels[6], "securefile");
    assert_eq!(of("APP.PAPERS", "LOB").cells[6].buffers, 6);
    assert_eq!((contents.free, contents.buffers()), (64, 40 + 2 + 5 + 1 + 7 + 3 + 6 + 64));
    assert!(contents.knows_dirty && !contents.knows_pins);
}

#[test]
fn touches_are_levels_in_classes() {
    let text = "I|19.0.0.0.0|ORCL1\nB|0|N|4|1|73|TABLE|A.T\nB|3|Y|5|1|73|TABLE|A.T\n\
                B|50|N|6|1|73|TABLE|A.T\nB|free|N|9|0|0|\n.\n";
    let contents = read(text, true).unwrap();
    let cells = &contents.holders[0].cells;
    assert_eq!((cells[0].buffers, cells[3].dirty, cells[7].buffers), (4, 5, 6));
    assert_eq!((contents.kind, contents.free), (LevelKind::TouchCount, 9));
}

#[test]
fn an_answer_without_its_end_or_with_something_else_is_none() {
    for text in ["I|19|A\nB|xcur|N|4|1|73|TABLE|A.T\n", "B|xcur|N|x|1|73|\n.\n", "X|1\n.\n", ""] {
        assert!(read(text, false).is_err(), "{text}");
    }
    assert!(read("B|many|N|1|1|73|\n.\n", true).is_err(), "no number of touches");
}

#[test]
fn a_missing_privilege_is_reported_with_what_to_do() {
    let refused = |touches| {
        let mut server = logged_on(Box::new(Scripted::new(|_| no_view())), touches).unwrap();
        server.read().unwrap_err().to_string()
    };
    let grants = refused(false);
    assert!(grants.contains("GRANT SELECT ON SYS.V_$BH TO"), "{grants}");
    assert!(grants.contains("GRANT SELECT ON SYS.DBA_OBJECTS TO"), "{grants}");
    assert!(refused(true).contains("?as=sysdba"));
}
