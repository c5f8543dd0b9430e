//! What holds for every model, and what each preset is to show.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking, and these numbers are exact"
)]

use std::collections::BTreeMap;

use isotherm_cache::{
    AccessPattern, CacheModel, ModelJson, ModelSettings, ModelVerdict, PRESETS, preset,
};
use serde_json::Value;

fn run(name: &str) -> CacheModel {
    CacheModel::run(preset(name).unwrap().settings).unwrap()
}

fn numbers(moment: &Value, key: &str) -> Vec<i64> {
    moment[key].as_array().unwrap().iter().map(|one| one.as_i64().unwrap()).collect()
}

/// The numbers of each group are 0, 1, 2 and so on.
fn is_numbered(groups: &[i64], places: &[i64]) -> bool {
    let mut all: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (&group, &place) in groups.iter().zip(places).filter(|(_, place)| **place >= 0) {
        all.entry(group).or_default().push(place);
    }
    all.values_mut().all(|places| {
        places.sort_unstable();
        places.iter().zip(0..).all(|(&place, expected)| place == expected)
    })
}

#[test]
fn every_buffer_is_on_one_list_and_every_block_on_its_chain() {
    for preset in &PRESETS {
        let settings = ModelSettings { references: 12_000, ..preset.settings };
        let model = CacheModel::run(settings).unwrap();
        let picture = serde_json::to_value(model.picture()).unwrap();
        let moments = picture["moments"].as_array().unwrap();
        assert_eq!(moments.len(), 12);
        for moment in moments {
            let [block, chain, place, list, rank, state] =
                ["block", "chain", "place", "list", "rank", "state"]
                    .map(|key| numbers(moment, key));
            assert_eq!(block.len(), preset.settings.buffers as usize, "{}", preset.name);
            // The two halves of the LRU list are numbered in one.
            let lists: Vec<i64> = list.iter().map(|&list| list.max(2)).collect();
            assert!(is_numbered(&lists, &rank) && is_numbered(&chain, &place), "{}", preset.name);
            let mut chain_of: BTreeMap<i64, i64> = BTreeMap::new();
            let mut current: BTreeMap<i64, u32> = BTreeMap::new();
            for at in 0..block.len() {
                let is_free = block[at] < 0;
                assert_eq!(is_free, list[at] == 0);
                assert_eq!(is_free, chain[at] < 0 && place[at] < 0 && rank[at] < 0);
                if !is_free {
                    assert_eq!(*chain_of.entry(block[at]).or_insert(chain[at]), chain[at]);
                    *current.entry(block[at]).or_default() += u32::from(state[at] & 2 == 0);
                }
            }
            assert!(current.values().all(|&count| count <= 1), "one current version of a block");
            let hot = list.iter().filter(|&&list| list == 1).count();
            assert!(hot <= block.len() / 2, "{}: {hot}", preset.name);
        }
        let counts = model.counts;
        assert_eq!(counts.references, 12_000);
        assert!(counts.hits < counts.references && counts.examined >= counts.hits);
    }
}

#[test]
fn the_blocks_of_a_trace_are_referenced_in_their_order() {
    // A loop over 50 blocks and one over 300, with 100 buffers: all but the first round hits, or none.
    let settings = ModelSettings { buffers: 100, writes: 0.0, clones: 0.0, ..ModelSettings::PLAIN };
    let looped = |blocks: u64| (0..6_000_u64).map(move |at| 1_000_000 + (at % blocks) * 7);
    let small = CacheModel::of_blocks(settings, looped(50)).unwrap();
    assert_eq!((small.settings.blocks, small.settings.references), (50, 6_000));
    assert_eq!(small.settings.pattern, AccessPattern::Trace);
    assert_eq!((small.counts.references, small.counts.hits), (6_000, 5_950));
    // Hits need what the curve of the same blocks says at most: with LRU none of this loop.
    let large = CacheModel::of_blocks(settings, looped(300)).unwrap();
    assert!(
        large.hit_ratio() < 0.34,
        "no more than the buffers for the blocks: {}",
        large.hit_ratio()
    );
    assert!(
        small.sentences().iter().any(|text| text.contains("references to the blocks of the trace"))
    );
    // The same blocks give the same model.
    let again = CacheModel::of_blocks(settings, looped(50)).unwrap();
    assert_eq!((again.picture(), &again.contention), (small.picture(), &small.contention));
    // One block in all, and none.
    assert!(CacheModel::of_blocks(settings, [7; 20]).unwrap().hit_ratio() > 0.9);
    assert!(CacheModel::of_blocks(settings, []).is_err());
}

#[test]
fn random_references_find_the_share_of_blocks_that_the_cache_holds() {
    let settings = ModelSettings { references: 200_000, ..preset("random").unwrap().settings };
    let model = CacheModel::run(settings).unwrap();
    // 200 of 1,000 blocks: a standard deviation is 0.4 / sqrt(200,000) = 0.0009.
    assert!((model.hit_ratio() - 0.2).abs() < 0.01, "{}", model.hit_ratio());
    // Touched twice within a few seconds is chance here, but hot blocks stay.
    assert!(run("hot-block").hit_ratio() > 0.8);
}

#[test]
fn a_scan_of_more_blocks_than_buffers_leaves_the_rest_where_it_is() {
    let model = run("full-scan");
    let picture = serde_json::to_value(model.picture()).unwrap();
    let last = picture["moments"].as_array().unwrap().last().unwrap().clone();
    // Were its blocks put in the middle, the scan would have pushed out all others: 1,000 blocks pass
    // through 200 buffers. At the end a fifth of the random references still finds its block.
    assert!(model.hit_ratio() > 0.1, "{}", model.hit_ratio());
    assert!(numbers(&last, "list").iter().all(|&list| list == 1 || list == 2));
}

#[test]
fn changed_buffers_are_written_before_they_are_used_again() {
    let settings = ModelSettings {
        pattern: AccessPattern::Random,
        writes: 1.0,
        clones: 0.0,
        ..ModelSettings::PLAIN
    };
    let model = CacheModel::run(settings).unwrap();
    let counts = model.counts;
    let misses = counts.references - counts.hits;
    // Every reference changes its block, so every block that left was written; those in the cache need not be.
    assert!(counts.written >= misses - u64::from(settings.buffers), "{counts:?}");
    assert_eq!(run("full-scan").counts.written, 0);
}

#[test]
fn clones_are_made_of_changed_blocks_only() {
    assert_eq!(run("random").counts.clones, 0);
    let model = run("clones");
    assert!(model.counts.clones > 1_000);
    let picture = serde_json::to_value(model.picture()).unwrap();
    for moment in picture["moments"].as_array().unwrap() {
        let mut clones: BTreeMap<i64, u32> = BTreeMap::new();
        for (block, state) in numbers(moment, "block").into_iter().zip(numbers(moment, "state")) {
            *clones.entry(block).or_default() += u32::from(state & 2 != 0);
        }
        assert!(clones.values().all(|&count| count <= 6), "{clones:?}");
    }
}

#[test]
fn one_latch_is_contended() {
    assert_eq!(run("one-latch").verdict(), ModelVerdict::FewLatches);
}

#[test]
fn few_chains_are_long() {
    assert_eq!(run("few-chains").verdict(), ModelVerdict::LongChains);
}

#[test]
fn a_hot_block_is_contended_whatever_the_number_of_latches() {
    assert_eq!(run("hot-block").verdict(), ModelVerdict::HotBlocks);
}

#[test]
fn one_session_waits_for_nobody() {
    let alone = ModelSettings { sessions: 1, ..ModelSettings::PLAIN };
    let model = CacheModel::run(alone).unwrap();
    assert_eq!(model.verdict(), ModelVerdict::NoContention);
    assert!(model.contention.iter().all(|one| one.mean_wait_ns == 0.0));
}

#[test]
fn what_is_said_of_each_preset_are_sentences() {
    for preset in &PRESETS {
        let settings = ModelSettings { references: 3_000, ..preset.settings };
        let sentences = CacheModel::run(settings).unwrap().sentences();
        assert!(sentences.iter().all(|one| one.ends_with('.')), "{sentences:#?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_picture() {
    let json = |seed: u64| {
        let model =
            CacheModel::run(ModelSettings { seed, references: 5_000, ..ModelSettings::PLAIN })
                .unwrap();
        let numbers = serde_json::to_string(&ModelJson::new(&model)).unwrap();
        (serde_json::to_string(&model.picture()).unwrap(), numbers)
    };
    assert_eq!(json(7), json(7));
    assert_ne!(json(7).0, json(8).0);
}

#[test]
fn settings_that_make_no_model_say_what_is_allowed() {
    let plain = ModelSettings::PLAIN;
    for (settings, expected) in [
        (ModelSettings { buffers: 7, ..plain }, "buffers must be from 8 to 5000"),
        (
            ModelSettings { latches: 129, ..plain },
            "latches (at most one for each chain) must be from 1 to 128",
        ),
        (ModelSettings { chains: 0, ..plain }, "chains must be from 1 to 20000"),
        (ModelSettings { writes: 1.1, ..plain }, "writes must be from 0 to 100 %"),
        (ModelSettings { clones: f64::NAN, ..plain }, "clones must be from 0 to 100 %"),
        (ModelSettings { sessions: 0, ..plain }, "sessions must be from 1 to 1000"),
    ] {
        assert_eq!(CacheModel::run(settings).unwrap_err().to_string(), expected);
    }
    let smallest = ModelSettings {
        buffers: 8,
        chains: 1,
        latches: 1,
        blocks: 1,
        references: 1,
        sessions: 1,
        ..plain
    };
    assert_eq!(CacheModel::run(smallest).unwrap().counts.references, 1);
}
