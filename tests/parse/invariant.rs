//! The rule that a pass is made at one place only, held against the source itself.

use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .collect()
}

#[test]
fn a_pass_is_made_at_one_place_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/result");
    let mut made = Vec::new();
    for path in sources(&folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let uses = code.lines().filter(|line| line.contains("Outcome::Pass") && !line.trim_start().starts_with("//"));
        // Looking at an outcome is fine everywhere; making one is not.
        let makes = uses.filter(|line| !line.contains("=>") && !line.contains("==") && !line.contains("!="));
        made.extend(makes.map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert_eq!(made.len(), 1, "{made:#?}");
    assert!(made[0].ends_with("outcome.rs: outcome: Outcome::Pass,"), "{}", made[0]);
}
