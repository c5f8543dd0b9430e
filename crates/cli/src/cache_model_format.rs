//! What `isotherm cache model` and `isotherm cache library` print.

use clap::ValueEnum;
use isotherm_views::OutputForm;

/// What is printed of a model.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFormat {
    /// The verdict and the table for people
    Text,
    /// One JSON object (docs/schema has its schema)
    Json,
}

impl From<ModelFormat> for OutputForm {
    fn from(format: ModelFormat) -> OutputForm {
        match format {
            ModelFormat::Text => OutputForm::Text,
            ModelFormat::Json => OutputForm::Json,
        }
    }
}
