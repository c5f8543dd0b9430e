//! Any bytes as stacks: what is read keeps its count through filters, names, the tree and folding, and
//! can be drawn.
#![no_main]

use isotherm_flame::{Only, ReadOptions, Relabel, Script, Tree, difference, read, write_folded};
use isotherm_report::{FlameGraph, FlameInput, flame_html, flame_svg};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let script = Some(Script::parse(&String::from_utf8_lossy(bytes)));
    let Ok(capture) = read(&mut &bytes[..], &ReadOptions::default()) else { return };
    let (stacks, total) = (&capture.stacks, capture.stacks.total());
    assert_eq!(Tree::of(stacks, &[]).nodes[0].total, total);
    let only = Only::parse("k*").expect("a name with an asterisk");
    assert_eq!(only.apply(stacks).0.total(), total);
    assert_eq!(Relabel { oracle: true, script }.apply(stacks).0.total(), total);
    let both = difference(stacks.clone(), stacks);
    assert!(both.stacks.iter().zip(&both.counts_a).all(|((.., b), a)| b == *a));
    let mut folded = Vec::new();
    write_folded(stacks, &mut folded).expect("a vector takes everything");
    let graph = FlameGraph {
        title: String::new(),
        inputs: vec![FlameInput::of("x", &capture)],
        remarks: Vec::new(),
        stacks,
        before: None,
        heat: None,
        sections: Vec::new(),
        command: String::new(),
    };
    flame_html(&graph, &mut Vec::new()).expect("a page can be written");
    flame_svg(&graph, &mut Vec::new()).expect("an image can be drawn");
});
