//! `--memory`: how much memory what is read may take.

use isotherm_pipeline::MemoryBudget;

use crate::amounts;

/// Reads a size such as `512M`.
pub fn parse(text: &str) -> Result<MemoryBudget, String> {
    let bytes = usize::try_from(amounts::bytes(text)?).map_err(|error| error.to_string())?;
    if bytes < MemoryBudget::LEAST {
        let least = MemoryBudget::LEAST >> 20;
        return Err(format!("'{text}' is too little: at least {least}M are needed"));
    }
    Ok(MemoryBudget::of_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_size_of_some_use() {
        assert_eq!(parse("512M"), Ok(MemoryBudget::of_bytes(512 << 20)));
        assert!(parse("1M").unwrap_err().contains("at least 32M"));
        assert!(parse("much").is_err());
    }
}
