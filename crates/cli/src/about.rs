//! What a recording that this process makes says about itself.

use isotherm_recording::About;

use crate::redact;

/// The name of this host.
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What a recording of this source says about itself.
pub fn about(source: &str) -> About {
    let own = std::env::args_os().next().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = redact::arguments().map(|argument| redact::redacted(&argument));
    let command_line: Vec<String> = std::iter::once(own).chain(arguments).collect();
    About::new(redact::redacted_source(source))
        .with_command_line(command_line.join(" "))
        .with_host(host())
        .with_isotherm_version(env!("CARGO_PKG_VERSION"))
        .with_started(isotherm_pipeline::now())
}
