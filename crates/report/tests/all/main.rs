//! Reports of scripted frames, and the documentation page of the report.

#[cfg(test)]
mod docs;
#[cfg(test)]
mod flame;
#[cfg(test)]
mod report;
#[cfg(test)]
#[path = "../../../views/tests/all/scene.rs"]
#[allow(dead_code, reason = "the tests of views use more of it")]
mod scene;
#[cfg(test)]
#[path = "../../../views/tests/all/schema.rs"]
mod schema;
#[cfg(test)]
#[path = "../../../views/tests/all/schema_pages.rs"]
mod schema_pages;
