//! Connection strings of other clients, written as addresses.

/// The address that stands for `host=db1 dbname=test`, without the password.
pub(super) fn from_settings(text: &str) -> Option<String> {
    const KNOWN: [&str; 7] = ["host", "hostaddr", "port", "user", "dbname", "password", "service"];
    let setting = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let known = KNOWN.into_iter().find(|known| *known == name)?;
        Some((known, value.trim_matches('\'').to_owned()))
    };
    let settings: Vec<_> = text.split_whitespace().map_while(setting).collect();
    if settings.is_empty() {
        return None;
    }
    let value = |names: &[&str], otherwise: &str| {
        let found = settings.iter().find(|(name, _)| names.contains(name));
        found.map_or_else(|| otherwise.to_owned(), |(_, value)| value.clone())
    };
    let port = value(&["port"], "");
    let port = if port.is_empty() { port } else { format!(":{port}") };
    let (user, host) = (value(&["user"], "USER"), value(&["host", "hostaddr"], "HOST"));
    Some(format!("postgres://{user}@{host}{port}/{}", value(&["dbname"], "DATABASE")))
}
