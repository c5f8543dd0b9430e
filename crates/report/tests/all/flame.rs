//! Flame graphs: what is drawn is what was counted, whatever frames are called.

use isotherm_flame::{ReadOptions, Stacks, difference, read};
use isotherm_report::{FlameGraph, FlameInput, FlameJson, flame_html, flame_json, flame_svg};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;

fn graph<'a>(
    stacks: &'a Stacks,
    before: Option<&'a [u64]>,
    inputs: Vec<FlameInput>,
) -> FlameGraph<'a> {
    FlameGraph {
        title: "a <title>".to_owned(),
        inputs,
        remarks: vec!["A remark.".to_owned()],
        stacks,
        before,
        heat: None,
        sections: Vec::new(),
        command: "isotherm flame x".to_owned(),
    }
}

fn captured(text: &str) -> (Stacks, FlameInput) {
    let capture = read(&mut text.as_bytes(), &ReadOptions::default()).unwrap();
    let input = FlameInput::of("x", &capture);
    (capture.stacks, input)
}

fn svg_of(text: &str) -> String {
    let (stacks, input) = captured(text);
    let mut svg = Vec::new();
    flame_svg(&graph(&stacks, None, vec![input]), &mut svg).unwrap();
    String::from_utf8(svg).unwrap()
}

#[test]
fn frames_are_drawn_as_wide_as_they_count() {
    let svg = svg_of("main;read;ksys_read_[k] 3\nmain;read 1\nmain;write 4\n");
    for title in [
        "all (8 counts, 100%)",
        "main (8 counts, 100.00%)",
        "read (4 counts, 50.00%)",
        "ksys_read (3 counts, 37.50%)",
        "write (4 counts, 50.00%)",
    ] {
        assert!(svg.contains(&format!("<title>{title}</title>")), "{title}");
    }
    assert!(svg.contains("<metadata id=\"isotherm\">"));
    assert!(svg.contains("a &lt;title&gt;"));
}

#[test]
fn names_that_look_like_counts_or_comments_are_names() {
    let svg =
        svg_of("main;worker 12 5\nmain;worker 12;x 2\n# a;b 3\nmain;a.b 1\nmain;a 1\nmain;a;c 1\n");
    // The comment is no stack; of `a` there is one frame.
    assert!(svg.contains("all (10 counts, 100%)"), "{svg}");
    assert!(svg.contains("worker\u{a0}12 (7 counts, 70.00%)"));
    assert_eq!(svg.matches("<title>a (2 counts, 20.00%)</title>").count(), 1);
}

#[test]
fn the_json_is_as_its_schema_says() {
    let schema = schema_of::<FlameJson>("flame.schema.json");
    let (a, input_a) = captured("p;x 1\np;y 2\n");
    let (b, input_b) = captured("p;x 5\nno count\n");
    let both = difference(a.clone(), &b);
    for graph in [
        graph(&a, None, vec![input_a.clone()]),
        graph(&both.stacks, Some(&both.counts_a), vec![input_a, input_b]),
    ] {
        let mut json = Vec::new();
        flame_json(&graph, &mut json).unwrap();
        let object: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(faults(&object, &schema), Vec::<String>::new());
    }
}

#[test]
fn the_page_without_scripts_has_the_numbers() {
    let (stacks, input) = captured("main;<script>alert(1)</script> 3\nmain;read 1\n");
    let mut page = Vec::new();
    flame_html(&graph(&stacks, None, vec![input]), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(!page.contains("<script>alert"));
    let row =
        "<th scope=\"row\">&lt;script&gt;alert(1)&lt;/script&gt;</th><td>3 counts</td><td>75%</td>";
    assert!(page.contains(row), "{page}");
}
