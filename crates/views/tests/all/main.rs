//! The views of a scripted scene.

#[cfg(test)]
mod activity;
#[cfg(test)]
mod analyze;
#[cfg(test)]
mod awr;
#[cfg(test)]
mod calibration;
#[cfg(test)]
mod compare;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod fit;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod incidents;
#[cfg(test)]
mod io_path;
#[cfg(test)]
mod load;
#[cfg(test)]
mod profile;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod schema_pages;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod source_list;
#[cfg(test)]
mod stats_json;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod views;
