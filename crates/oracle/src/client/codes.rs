//! Which numbers of the server and its listener mean that the session is gone.

/// The session was ended, the instance starts or stops, a process or the network went away.
const ENDED: [u32; 30] = [
    18, 20, 28, 1012, 1033, 1034, 1089, 1090, 1092, 2396, 3113, 3114, 3115, 3135, 12170, 12500,
    12516, 12518, 12519, 12520, 12526, 12527, 12528, 12537, 12541, 12543, 12547, 12570, 12571,
    25408,
];

/// Whether there is no session after `ORA-` and this number, while another one may be had later.
///
/// A service that the listener does not know (12505, 12514) is not among them: that is an address
/// mistyped, unless there was a session before.
pub fn ends_session(code: u32) -> bool {
    ENDED.contains(&code)
}
