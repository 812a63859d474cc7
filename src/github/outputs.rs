//! What a step hands to the steps after it: lines in the file that `GITHUB_OUTPUT` names, each value between delimiters that it
//! cannot guess. Source: "Workflow commands for GitHub Actions", "Multiline strings".

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    io::Write,
    path::Path,
};

/// Appends values to an output file.
///
/// # Errors
/// The disk, or a value that holds its own delimiter, which chance makes impossible.
pub fn write(file: &Path, values: &[(&str, String)]) -> std::io::Result<()> {
    let mut out = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    for (name, value) in values {
        let delimiter = delimiter();
        if value.contains(&delimiter) {
            return Err(std::io::Error::other(format!("the output {name} holds its own delimiter")));
        }
        out.write_all(format!("{name}<<{delimiter}\n{value}\n{delimiter}\n").as_bytes())?;
    }
    Ok(())
}

/// 128 bits of the system's randomness.
fn delimiter() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("isugate-{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_several_lines_stays_one_value() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let hostile = "one\nEOF\nverdict=accept\nverdict<<x\naccept\nx".to_string();
        write(file.path(), &[("verdict", "revert".into()), ("message", hostile.clone())]).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let mut lines = text.lines();
        let mut read = Vec::new();
        while let Some((name, end)) = lines.next().and_then(|line| line.split_once("<<")) {
            let value: Vec<_> = lines.by_ref().take_while(|line| *line != end).collect();
            read.push((name.to_owned(), value.join("\n")));
        }
        assert_eq!(read, [("verdict".into(), "revert".into()), ("message".into(), hostile)]);
        assert_ne!(delimiter(), delimiter());
    }
}
