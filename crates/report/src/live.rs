//! The live page: the page of a report without data, whose script fetches them from its server and goes
//! on fetching. It has a style and a script of their own addresses, so that its policy needs no checksums.

use crate::page::{PAGE, SCRIPTS, STYLE};
use crate::shell::{BOOT, bare};

const LIVE_STYLE: &str = include_str!("../assets/live.css");
/// What a live page does besides: the script that starts it is the last.
const LIVE_SCRIPTS: [&str; 4] = [
    include_str!("../assets/live-bar.js"),
    include_str!("../assets/live-client.js"),
    include_str!("../assets/live-state.js"),
    include_str!("../assets/live-main.js"),
];
/// What the page may do: its own style, script and server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src data: blob:; base-uri 'none'; form-action 'none'";

/// The page, without data. It asks for `/style.css` and `/app.js`.
pub fn page() -> String {
    let (head, rest) = PAGE.split_once("<style>/*STYLE*/</style>").unwrap_or((PAGE, ""));
    let (body, _) =
        rest.split_once("<script type=\"application/octet-stream\"").unwrap_or((rest, ""));
    let page = format!(
        "{head}<link rel=\"stylesheet\" href=\"/style.css\">{body}<script src=\"/app.js\"></script>\n\
         </body>\n</html>\n"
    );
    let page = page.replace("\"CSP\"", &format!("\"{POLICY}\"")).replace("TITLE", "isotherm");
    page.replace("<!--STATIC-->", "<noscript><p>The live page needs scripts.</p></noscript>")
}

/// Its script.
pub fn script() -> String {
    let scripts = SCRIPTS.iter().chain(&LIVE_SCRIPTS).map(|source| bare(source));
    let scripts: String = scripts.collect();
    format!("{}(() => {{\n\"use strict\";\n{scripts}}})();\n", bare(BOOT))
}

/// Its style.
pub fn style() -> String {
    [STYLE, LIVE_STYLE].map(bare).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_holds_no_script_and_no_style_of_its_own() {
        let page = page();
        assert_eq!(page.matches("<script").count(), 1);
        assert!(page.contains("<script src=\"/app.js\"></script>"), "{page}");
        for inline in ["<style", "style=", "onclick", "PACKED", "DATA<", "TITLE", "CSP\""] {
            assert!(!page.contains(inline), "{inline} in {page}");
        }
        assert!(page.contains("connect-src 'self'") && page.ends_with("</html>\n"), "{page}");
    }

    #[test]
    fn the_script_starts_the_live_page_and_no_report() {
        let script = script();
        assert!(script.contains("startLive().catch(showTrouble);"));
        assert!(!script.contains("async function start()"));
        assert!(style().contains("#livebar"));
    }
}
