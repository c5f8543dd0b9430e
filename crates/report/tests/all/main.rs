//! Reports of scripted frames, and the documentation page of the report.

#[cfg(test)]
mod docs;
#[cfg(test)]
mod report;
#[cfg(test)]
#[path = "../../../views/tests/all/scene.rs"]
mod scene;
#[cfg(test)]
#[path = "../../../views/tests/all/schema.rs"]
mod schema;
