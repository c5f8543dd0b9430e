//! A model of a library cache as a section of a page.

use isotherm_frame::numbers::grouped;
use isotherm_views::section::{Section, Table};

use super::LibraryModel;

/// Statements of the table.
const MOST: usize = 10;

impl LibraryModel {
    /// The sentences, and the statements with the most executions.
    pub fn section(&self) -> Section {
        Section {
            title: "What the library cache did".to_owned(),
            sentences: self.sentences(),
            tables: vec![self.table()],
            ..Section::default()
        }
    }

    fn table(&self) -> Table {
        let mut rows: Vec<(u32, u32, usize, usize)> = Vec::new();
        if let Some(last) = self.last() {
            for (bucket, handles) in last.buckets.iter().enumerate() {
                for &id in handles {
                    let Some(object) = last.object(id) else { continue };
                    let children = last.children[id as usize].len();
                    rows.push((object.executions, object.statement, bucket, children));
                }
            }
        }
        rows.sort_by_key(|&(executions, statement, ..)| (std::cmp::Reverse(executions), statement));
        let row = |&(executions, statement, bucket, children): &(u32, u32, usize, usize)| {
            vec![
                format!("{}", statement + 1),
                format!("{}", bucket + 1),
                grouped(children as u64),
                grouped(u64::from(executions)),
            ]
        };
        Table {
            caption: "Statements at the end, the most executed first".to_owned(),
            head: ["statement", "bucket", "child cursors", "executions"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.iter().take(MOST).map(row).collect(),
        }
    }
}
