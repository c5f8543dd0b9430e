//! Writes the formats in `formats/` as JSON for the program: every run of it reads all of them, and TOML takes several
//! times as long.
#![allow(clippy::print_stdout, reason = "cargo reads what is to be watched")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=formats");
    let out = env::var("OUT_DIR")?;
    for entry in fs::read_dir("formats")? {
        let path = entry?.path();
        let definition = toml::from_str::<toml::Value>(&fs::read_to_string(&path)?);
        let definition = definition.map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.with_extension("json");
        let json = Path::new(&out).join(name.file_name().ok_or("a file has no name")?);
        fs::write(json, serde_json::to_string(&definition)?)?;
    }
    Ok(())
}
