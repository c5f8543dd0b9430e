//! `cache show` on a real `PostgreSQL`, on a server that plays Oracle's part, and on rows in a file.

use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fake_oracle::{Answer, FakeOracle, Script};
use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::psql::{Client, asked};
use super::schemas::parsed;
use super::top::started::Started;
use super::{Room, isotherm, run, signal, succeed};

fn address(server: &Started, user: &str) -> String {
    format!("postgres://{user}@/postgres?host={}", server.folder)
}

/// A server with the extension; `None` where that or the server is not installed.
fn server(options: &[&str]) -> Option<Started> {
    let server = Started::new("postgres", options, &[])?;
    let available = "select count(*) from pg_available_extensions where name = 'pg_buffercache'";
    if asked(&server, available) == "0" {
        return None;
    }
    Some(server)
}

fn shown(server: &Started, more: &[&str]) -> Value {
    let address = address(server, "isotherm");
    let args = [&["cache", "show", &address, "--format", "json"], more].concat();
    parsed("cache-show", &succeed(&args))
}

fn holder<'a>(object: &'a Value, name: &str, kind: &str) -> Option<&'a Value> {
    let holders = object["holders"].as_array().unwrap();
    holders.iter().find(|one| one["name"] == name && one["kind"] == kind)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

fn sum(levels: &Value, key: &str) -> u64 {
    levels.as_array().unwrap().iter().map(|level| number(&level[key])).sum()
}

/// Whether all sums of an object agree.
fn adds_up(object: &Value) {
    let all = number(&object["buffers"]);
    let used = sum(&object["by_level"], "buffers");
    assert_eq!(used + number(&object["free"]), all);
    let holders = object["holders"].as_array().unwrap();
    assert_eq!(holders.iter().map(|one| number(&one["buffers"])).sum::<u64>(), used);
    for key in ["buffers", "dirty", "pinned"] {
        let by_holder: u64 = holders.iter().map(|one| sum(&one["by_level"], key)).sum();
        assert_eq!(by_holder, sum(&object["by_level"], key), "{key}");
    }
}

#[test]
fn a_table_has_exactly_its_blocks_and_they_are_dirty_until_a_checkpoint() {
    let options = ["-c", "autovacuum=off", "-c", "bgwriter_lru_maxpages=0"];
    let Some(server) = server(&options) else { return };
    for sql in [
        "create extension pg_buffercache",
        "create table orders (id int, pad text) with (fillfactor = 50)",
        "insert into orders select i, repeat('x', 200) from generate_series(1, 9000) i",
        // So that what follows changes no page: all hint bits are set.
        "vacuum analyze orders",
        "checkpoint",
        "select sum(length(pad)) from orders",
    ] {
        asked(&server, sql);
    }
    let blocks: u64 = asked(&server, "select pg_relation_size('orders') / 8192").parse().unwrap();
    assert!(blocks > 300, "{blocks}");
    let object = shown(&server, &[]);
    adds_up(&object);
    // 16 MB of buffers of 8 KiB.
    assert_eq!((number(&object["buffers"]), &object["block_bytes"]), (2_048, &8_192.into()));
    let orders = holder(&object, "public.orders", "table").unwrap();
    assert_eq!(number(&orders["buffers"]), blocks);
    assert_eq!(
        (sum(&orders["by_level"], "dirty"), number(&orders["blocks_estimate"])),
        (0, blocks)
    );
    assert!(number(&orders["hits"]) <= number(&orders["fetched"]), "{orders}");
    let maps = number(&holder(&object, "public.orders", "visibility map").unwrap()["buffers"]);
    assert_eq!(
        maps,
        asked(&server, "select pg_relation_size('orders', 'vm') / 8192").parse::<u64>().unwrap()
    );

    // A row for each page of which there are two in a row.
    asked(&server, "update orders set id = -id where id % 2 = 0");
    let dirty =
        sum(&holder(&shown(&server, &[]), "public.orders", "table").unwrap()["by_level"], "dirty");
    assert!(dirty >= blocks / 2, "{dirty} of {blocks}");
    asked(&server, "checkpoint");
    let object = shown(&server, &[]);
    adds_up(&object);
    assert_eq!(sum(&holder(&object, "public.orders", "table").unwrap()["by_level"], "dirty"), 0);

    asked(&server, "create database other");
    asked(&server, "create temp table mine as select generate_series(1, 1000)");
    let sql = "select relfilenode, usagecount from pg_buffercache where relfilenode = \
               pg_relation_filenode('orders') and relforknumber = 0";
    let counted = asked(&server, &format!("select count(*), sum(usagecount) from ({sql}) q"));
    let object = shown(&server, &[]);
    let levels = holder(&object, "public.orders", "table").unwrap()["by_level"].clone();
    let uses: u64 = (0..)
        .zip(levels.as_array().unwrap())
        .map(|(use_, level)| use_ * number(&level["buffers"]))
        .sum();
    assert_eq!(format!("{}|{uses}", sum(&levels, "buffers")), counted);

    dropped_or_in_sums(&server);
    pinned_by_cursors(&server);
    text_and_page(&server, blocks);
}

/// A page that a cursor is on is pinned, as long as it is open.
fn pinned_by_cursors(server: &Started) {
    let table = "relfilenode = pg_relation_filenode('orders') and relforknumber = 0";
    let pins = format!(
        "select count(*) filter (where pinning_backends > 0) from pg_buffercache where {table}"
    );
    let shown_pins = |more: &[&str]| {
        let object = shown(server, more);
        adds_up(&object);
        let orders = holder(&object, "public.orders", "table");
        (orders.map_or(0, |orders| sum(&orders["by_level"], "pinned")), number(&object["pinned"]))
    };
    assert_eq!((asked(server, &pins).as_str(), shown_pins(&[]).0), ("0", 0));
    let mut session = Client::saying(
        server,
        "cursors",
        "begin; declare first cursor for select * from orders; fetch 1 from first; \
         declare later cursor for select * from orders; move 2000 in later;",
    );
    bounded::until("two pins", || (asked(server, &pins) == "2").then_some(()));
    let (of_table, all) = shown_pins(&[]);
    assert_eq!(of_table, 2);
    // The catalogs that are read to show it are pinned, too.
    assert!(all >= 2, "{all}");
    assert!(shown_pins(&["--totals"]).1 >= 2);
    let address = address(server, "isotherm");
    let text = succeed(&["cache", "show", &address, "--ascii"]);
    // Pins come before blocks asked for that were hits, and their share.
    let row = text.lines().find(|line| line.contains("public.orders  ") && line.contains('%'));
    let cells: Vec<&str> = row.unwrap().split_whitespace().collect();
    assert_eq!(cells[cells.len() - 3], "2", "{text}");
    session.say("close first;");
    bounded::until("one pin", || (asked(server, &pins) == "1").then_some(()));
    assert_eq!(shown_pins(&[]).0, 1);
    session.say("commit;");
    bounded::until("no pin", || (asked(server, &pins) == "0").then_some(()));
    assert_eq!(shown_pins(&[]).0, 0);
}

/// What is dropped holds no buffer.
fn dropped_or_in_sums(server: &Started) {
    let object = shown(server, &["--totals"]);
    let names: Vec<&Value> =
        object["holders"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["all relations"]);
    adds_up(&object);
    asked(server, "create table short as select generate_series(1, 100000) as n");
    assert!(holder(&shown(server, &[]), "public.short", "table").is_some());
    asked(server, "drop table short");
    let object = shown(server, &[]);
    assert!(holder(&object, "public.short", "table").is_none());
    adds_up(&object);
}

fn text_and_page(server: &Started, blocks: u64) {
    let room = Room::new();
    let address = address(server, "isotherm");
    let text = succeed(&["cache", "show", &address, "--ascii"]);
    assert!(text.contains("2,048 buffers of 8 KiB (16 MiB)"), "{text}");
    let row = text.lines().find(|line| line.contains("public.orders  ") && line.contains('%'));
    assert!(row.unwrap().contains(&format!(" {blocks} ")), "{text}");
    let page = room.name("cache.html");
    succeed(&["cache", "show", &address, "--every", "200ms", "--for", "600ms", "-o", &page]);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("Buffers by usage count over time"), "no heat map");
    assert!(
        html.contains(&format!("public.orders: {blocks} buffers, 0.000")),
        "no cell of the table"
    );
    assert!(html.contains("public.orders, usage count"), "no bar of the table");
    let over = parsed(
        "cache-show",
        &succeed(&[
            "cache", "show", &address, "--every", "100ms", "--for", "500ms", "--format", "json",
        ]),
    );
    let looks = over["history"]["looks"].as_array().unwrap();
    assert!((1..=5).contains(&looks.len()), "{looks:?}");
    for look in looks {
        assert_eq!(sum(&look["by_level"], "buffers") + number(&look["free"]), 2_048);
    }
}

#[test]
fn what_is_missing_says_what_to_do() {
    let Some(server) = server(&[]) else { return };
    asked(&server, "create user watcher");
    let refused = |user: &str| {
        let output = run(&["cache", "show", &address(&server, user)]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        said
    };
    assert!(refused("isotherm").contains("CREATE EXTENSION pg_buffercache"));
    // In a schema that is not on the path, with a name that needs quotes.
    asked(&server, "create schema \"Tools\"");
    asked(&server, "create extension pg_buffercache schema \"Tools\"");
    let said = refused("watcher");
    assert!(said.contains("GRANT pg_monitor TO watcher;"), "{said}");
    assert!(said.contains("GRANT USAGE ON SCHEMA \"Tools\" TO watcher;"), "{said}");
    asked(&server, "grant pg_monitor to watcher");
    asked(&server, "grant usage on schema \"Tools\" to watcher");
    let text = succeed(&["cache", "show", &address(&server, "watcher")]);
    assert!(text.contains("pg_catalog.pg_class"), "{text}");
}

/// What `PostgreSQL` 16 brought is played by functions of the same names and columns on a server before.
#[test]
fn totals_are_those_of_the_server_where_it_counts_by_itself() {
    let Some(server) = server(&["-c", "autovacuum=off"]) else { return };
    if asked(&server, "show server_version_num").parse::<u64>().unwrap() >= 160_000 {
        asked(&server, "create extension pg_buffercache");
        return adds_up(&shown(&server, &["--totals"]));
    }
    asked(&server, "create extension pg_buffercache");
    for sql in [
        "create function pg_buffercache_usage_counts(out usage_count int, out buffers int, out dirty int, \
         out pinned int) returns setof record language sql as 'values (0, 1548, 3, 0), (1, 100, 2, 1), \
         (2, 0, 0, 0), (3, 0, 0, 0), (4, 0, 0, 0), (5, 400, 40, 2)'",
        "create function pg_buffercache_summary(out buffers_used int, out buffers_unused int, out \
         buffers_dirty int, out buffers_pinned int, out usagecount_avg float) language sql as \
         'select 548, 1500, 45, 3, 3.8::float'",
    ] {
        asked(&server, sql);
    }
    let object = shown(&server, &["--totals"]);
    adds_up(&object);
    assert_eq!((number(&object["free"]), number(&object["buffers"])), (1_500, 2_048));
    assert_eq!((number(&object["dirty"]), number(&object["pinned"])), (45, 3));
    assert_eq!(number(&object["by_level"][0]["buffers"]), 48);
}

#[test]
fn an_oracle_instance_is_shown_by_object_and_state_and_refusals_name_the_grant() {
    let rows = [
        "I|19.0.0.0.0|ORCL1",
        "B|xcur|N|40|1|73|TABLE|APP.ORDERS",
        "B|xcur|Y|2|1|73|TABLE|APP.ORDERS",
        "B|cr|N|8|1|73|TABLE|APP.ORDERS",
        "B|xcur|Y|5|18|4294967295|",
        "B|free|N|45|0|0|",
        ".",
    ];
    let script = Script::default().on("from v$bh", Answer::lines(rows));
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    let asked = |more: &[&str]| {
        let args = [&["cache", "show", &address], more].concat();
        bounded::output(isotherm(&args).env("ISOTHERM_ORACLE_PASSWORD", "correct-horse"))
    };
    let output = asked(&["--format", "json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object = parsed("cache-show", &String::from_utf8(output.stdout).unwrap());
    adds_up(&object);
    let orders = holder(&object, "APP.ORDERS", "table").unwrap();
    assert_eq!((number(&orders["buffers"]), sum(&orders["by_level"], "dirty")), (50, 2));
    assert_eq!(number(&holder(&object, "undo", "undo block").unwrap()["buffers"]), 5);
    assert_eq!((number(&object["buffers"]), &object["pinned"]), (100, &Value::Null));
    let output = asked(&["--touches"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("?as=sysdba"), "{said}");
    let of_another = format!("{address}?inst=2");
    let output = bounded::output(&mut isotherm(&["cache", "show", &of_another]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("leave inst= out"), "{said}");
    let output = asked(&["--show-sql", "--touches"]);
    let sql = String::from_utf8(output.stdout).unwrap();
    assert!(sql.contains("FROM x$bh") && sql.contains("tch"), "{sql}");
}

#[test]
fn touches_of_an_oracle_instance_are_what_sys_is_shown() {
    let rows = [
        "I|19.0.0.0.0|ORCL1",
        "B|0|N|30|1|73|TABLE|APP.ORDERS",
        "B|3|Y|12|1|73|TABLE|APP.ORDERS",
        "B|50|N|7|1|74|INDEX|APP.ORDERS_PK",
        "B|free|N|51|0|0|",
        ".",
    ];
    let script = Script::default().on("from x$bh", Answer::lines(rows));
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://sys@127.0.0.1:{}/FAKE?as=sysdba", server.port());
    let show = ["cache", "show", &address, "--touches", "--format", "json"];
    let output = bounded::output(isotherm(&show).env("ISOTHERM_ORACLE_PASSWORD", "correct-horse"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // 0x20 is SYSDBA.
    assert!(server.logons().iter().all(|logon| logon.user == "sys" && logon.mode & 0x60 == 0x20));
    let object = parsed("cache-show", &String::from_utf8(output.stdout).unwrap());
    adds_up(&object);
    assert_eq!((&object["levels_are"], number(&object["buffers"])), (&"touches".into(), 100));
    let held: Vec<(&str, u64)> = object["by_level"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| (level["level"].as_str().unwrap(), number(&level["buffers"])))
        .filter(|(_, buffers)| *buffers > 0)
        .collect();
    assert_eq!(held.iter().map(|(_, buffers)| *buffers).collect::<Vec<_>>(), [30, 12, 7]);
    assert_eq!(held[0].0, "0");
    let orders = holder(&object, "APP.ORDERS", "table").unwrap();
    assert_eq!((number(&orders["buffers"]), sum(&orders["by_level"], "dirty")), (42, 12));
    assert_eq!(number(&holder(&object, "APP.ORDERS_PK", "index").unwrap()["buffers"]), 7);
}

#[test]
fn an_oracle_instance_is_looked_at_over_time() {
    let rows = |orders: u64| {
        Answer::lines([
            "I|19.0.0.0.0|ORCL1".to_owned(),
            format!("B|xcur|N|{orders}|1|73|TABLE|APP.ORDERS"),
            format!("B|free|N|{}|0|0|", 100 - orders),
            ".".to_owned(),
        ])
    };
    let looks = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&looks);
    // 11 buffers in the first look, 12 in the second and so on.
    let script = Script::default()
        .on_call("from v$bh", move |_| rows(11 + counted.fetch_add(1, Ordering::SeqCst)));
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    let mut live = isotherm(&["cache", "live", &address, "--every", "100ms", "--format", "json"]);
    live.env("ISOTHERM_ORACLE_PASSWORD", "correct-horse");
    let child = bounded::spawn(live.stdout(Stdio::piped()).stderr(Stdio::null()));
    bounded::until("three looks", || (looks.load(Ordering::SeqCst) >= 3).then_some(()));
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let object = parsed("cache-show", &String::from_utf8(output.stdout).unwrap());
    let history = &object["history"];
    let seen: Vec<u64> = history["looks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|look| sum(&look["by_level"], "buffers"))
        .collect();
    assert!(seen.len() >= 3, "{seen:?}");
    assert_eq!(seen, (11..).take(seen.len()).collect::<Vec<u64>>());
    assert_eq!(history["holders"][0], "APP.ORDERS");
    // What is shown of now is the last look.
    let orders = holder(&object, "APP.ORDERS", "table").unwrap();
    assert_eq!(Some(&number(&orders["buffers"])), seen.last());
}

#[test]
fn a_recording_of_buffers_is_refused_before_anything_is_asked_and_says_what_to_use() {
    let room = Room::new();
    // Nobody listens there: the answer does not wait for a server.
    let nowhere = "postgres://nobody@127.0.0.1:1/none";
    for name in ["cache.heat", "CACHE.HEAT"] {
        let file = room.name(name);
        for command in ["show", "live"] {
            let output = run(&["cache", command, nowhere, "--every", "1s", "-o", &file]);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{said}");
            for expected in
                [&file, "a usage count is not a latency", "-o FILE.json", "-o FILE.html"]
            {
                assert!(said.contains(expected), "{expected}: {said}");
            }
            assert!(!room.path(name).exists());
        }
    }
}

#[test]
fn rows_of_a_file_are_shown_where_nothing_may_run() {
    let room = Room::new();
    let mut rows = "FILE#,BLOCK#,CLASS#,STATUS,DIRTY,OBJD,OWNER,OBJECT_NAME\n".to_owned();
    for block in 0..900 {
        let dirty = if block % 9 == 0 { 'Y' } else { 'N' };
        let _ = writeln!(rows, "4,{block},1,xcur,{dirty},73,APP,ORDERS");
    }
    rows += "0,0,0,free,N,0,,\nbad\n";
    let file = room.file("v_bh.csv", &rows);
    let object = parsed("cache-show", &succeed(&["cache", "show", &file, "--format", "json"]));
    adds_up(&object);
    let orders = holder(&object, "APP.ORDERS", "data").unwrap();
    assert_eq!((number(&orders["buffers"]), sum(&orders["by_level"], "dirty")), (900, 100));
    assert_eq!(object["rejected"], 1);
    // The other name of the command.
    let text = succeed(&["cache", "live", &file]);
    assert_eq!(text, succeed(&["cache", "show", &file]));
    for (args, code, says) in [
        (&["--strict"][..], 4, "line 903"),
        (&["--touches"], 2, "only a database can be asked"),
        (&["--every", "1s"], 2, "--every has no effect"),
        (&["-o", "x.xml"], 2, "end it in .html"),
        (&["-o", "x.heat"], 2, "a recording (.heat) holds latencies"),
    ] {
        let output = run(&[&["cache", "show", &file], args].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says), "{said}");
    }
    let other = room.file("x.csv", "block\n1\n");
    let output = run(&["cache", "show", &other]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("objd and status (V$BH)"));
    assert_eq!(output.status.code(), Some(1));
}
