//! Whom to trust, where that is not who browsers trust.

use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// The certificates in a file of PEM; an error, without the file's name, where it has none: a server would be refused
/// for a reason that nobody sees.
pub fn authorities(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| error.to_string())?;
    let certificates: Result<Vec<CertificateDer<'static>>, _> = certificates.collect();
    let certificates = certificates.map_err(|error| error.to_string())?;
    if certificates.is_empty() {
        return Err("there is no certificate in it (PEM is expected)".to_owned());
    }
    Ok(certificates)
}
