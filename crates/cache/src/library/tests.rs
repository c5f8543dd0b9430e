#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashSet;

use super::*;

fn run(settings: LibrarySettings) -> LibraryModel {
    LibraryModel::run(settings).unwrap()
}

#[test]
fn every_preset_ends_in_the_verdict_of_its_name() {
    let verdict = |name| run(library_preset(name).unwrap().settings).verdict();
    for (name, expected) in [
        ("plain", LibraryVerdict::Shared),
        ("literals", LibraryVerdict::NotShared),
        ("versions", LibraryVerdict::ManyVersions),
        ("hot-statement", LibraryVerdict::HotMutex),
        ("little-memory", LibraryVerdict::AgedOut),
        ("changes", LibraryVerdict::Invalidated),
    ] {
        assert_eq!(verdict(name), expected, "{name}");
    }
}

#[test]
fn what_fits_into_memory_is_parsed_once() {
    // 10 statements in 3 environments: 30 child cursors, all of them in the end.
    let settings = LibrarySettings { statements: 10, versions: 3, ..LibrarySettings::PLAIN };
    let model = run(settings);
    assert_eq!((model.counts.loads, model.counts.reloads, model.counts.aged_out), (30, 0, 0));
    assert_eq!(model.counts.hits + model.counts.loads, 20_000);
    let last = model.last().unwrap();
    assert_eq!((last.len(), last.lru.len()), (40, 30));
    // A text of its own for each execution is never found.
    let model = run(LibrarySettings { literals: 1.0, ..LibrarySettings::PLAIN });
    assert_eq!((model.counts.hits, model.counts.loads), (0, 20_000));
    assert_eq!(model.counts.aged_out, 20_000 - 250);
}

#[test]
fn the_cache_is_consistent_at_every_moment() {
    for preset in &LIBRARY_PRESETS {
        let settings = LibrarySettings { changes: 0.01, ..preset.settings };
        let model = run(settings);
        assert_eq!(model.moments.len(), 12);
        for library in &model.moments {
            let in_buckets: Vec<u32> = library.buckets.iter().flatten().copied().collect();
            let of_handles: Vec<u32> =
                in_buckets.iter().flat_map(|&id| library.children[id as usize].clone()).collect();
            let on_list: HashSet<u32> = library.lru.iter().copied().collect();
            assert_eq!(of_handles.iter().copied().collect::<HashSet<u32>>(), on_list);
            assert_eq!(on_list.len(), library.lru.len());
            assert_eq!(library.len(), in_buckets.len() + of_handles.len());
            assert!(library.lru.len() <= settings.cursors as usize);
            for (bucket, handles) in library.buckets.iter().enumerate() {
                for &id in handles {
                    let handle = library.object(id).unwrap();
                    assert_eq!(library.bucket_of(handle.statement), bucket);
                    assert!(!library.children[id as usize].is_empty(), "a handle without children");
                }
            }
            // What is executed is not aged out.
            assert!(library.pinned.iter().all(|id| on_list.contains(id)));
        }
    }
}

#[test]
fn a_change_makes_exactly_the_cursors_of_its_table_invalid() {
    let mut library = Library::new(&LibrarySettings::PLAIN);
    for statement in 0..40 {
        library.execute(statement, 0);
    }
    library.change(7);
    assert_eq!(library.counts.invalidations, 2);
    assert!(library.find(7, 0).1.is_none() && library.find(27, 0).1.is_none());
    assert!(library.find(8, 0).1.is_some());
    library.execute(27, 0);
    assert!(library.find(27, 0).1.is_some());
    assert_eq!((library.counts.loads, library.counts.reloads, library.len()), (41, 1, 80));
}

#[test]
fn the_same_seed_gives_the_same_picture() {
    let settings = LibrarySettings { literals: 0.1, ..LibrarySettings::PLAIN };
    let picture = |seed| run(LibrarySettings { seed, ..settings }).picture();
    assert_eq!(picture(3), picture(3));
    assert_ne!(picture(3), picture(4));
    let error = LibraryModel::run(LibrarySettings { sessions: 200, ..settings }).unwrap_err();
    assert!(error.to_string().contains("must be from 1 to 125"), "{error}");
}
