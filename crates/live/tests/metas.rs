//! What every source says about itself.

use isotherm_live::all_metas;

#[test]
fn every_source_says_what_it_costs_and_what_resets_its_counts() {
    for meta in all_metas() {
        let counting = meta.counting.sentences();
        assert!(counting.contains("reset"), "{}: {counting}", meta.name);
        // A cost is a number, that of something else, nothing, or not known: never a mere adjective.
        let costs = meta.overhead;
        let is_said = ["None", "Almost none", "That of", "Only that of"]
            .iter()
            .any(|said| costs.starts_with(said));
        let is_known = costs.contains(|c: char| c.is_ascii_digit())
            || costs.to_lowercase().contains("not measured");
        assert!(is_said || is_known, "{}: {costs}", meta.name);
    }
}
