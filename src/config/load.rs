//! Reads a configuration: the file, its tree, all checks, and then the values.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{
    checks, conform,
    cursor::Value,
    diagnostic::{Place, safe},
    error::{ConfigError, Findings, lines},
    known::has_bench_command,
    shape::Config,
    tree::Tree,
};

/// How the file is called, at the root of the repository.
pub const FILE_NAME: &str = "isugate.yml";

/// The greatest size of a configuration, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// A configuration that was loaded from a file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What it says.
    pub config: Config,
    /// The file.
    pub path: PathBuf,
    /// The directory of the file, absolute: what relative paths of the configuration are relative to.
    pub root: PathBuf,
    /// The SHA-256 of the file's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Where each value stands.
    pub positions: Positions,
}

/// A configuration that was read from a text.
#[derive(Debug, Clone)]
pub struct Read {
    /// What it says.
    pub config: Config,
    /// Where each value stands.
    pub positions: Positions,
}

/// Where each value of the file stands, so that later stages can name the line of a step that fails.
#[derive(Debug, Clone, Default)]
pub struct Positions(BTreeMap<String, Position>);

/// Line and column, both from 1; columns in characters.
type LineColumn = (usize, usize);

#[derive(Debug, Clone, Copy)]
struct Position {
    key: LineColumn,
    value: LineColumn,
}

impl Positions {
    /// Line and column of the value at a path such as `deploy.build[0].run`.
    pub fn value(&self, path: &str) -> Option<(usize, usize)> {
        self.0.get(path).map(|position| position.value)
    }

    /// Line and column of the key at a path; for an element of a list, of the element.
    pub fn key(&self, path: &str) -> Option<(usize, usize)> {
        self.0.get(path).map(|position| position.key)
    }

    fn gather(&mut self, value: &Value<'_>) {
        let of = |place: Place| (place.line, place.column);
        self.0.insert(value.path.clone(), Position { key: of(value.key_place()), value: of(value.node().place) });
        value.items().iter().for_each(|item| self.gather(item));
        value.entries().iter().for_each(|(_, value)| self.gather(value));
    }
}

/// Loads a configuration from its file.
///
/// # Errors
/// When the file can't be read, or with every mistake that is in it.
pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
    let name = path.display().to_string();
    let unreadable = |error: &std::io::Error| {
        let (message, help) = match error.kind() {
            std::io::ErrorKind::NotFound => {
                ("there is no such file".to_string(), "write one; docs/configuration.md has an example")
            }
            std::io::ErrorKind::IsADirectory => {
                ("this is a directory, not a configuration file".into(), "name the file in it, such as isugate.yml")
            }
            _ => (format!("the file can't be read: {error}"), "check its permissions and the path to it"),
        };
        ConfigError::unreadable(&name, message, help)
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    // One byte more than allowed is enough to know.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    let root = std::path::absolute(path.parent().unwrap_or(Path::new(""))).or_else(|_| std::env::current_dir());
    let root = root.map_err(|error| unreadable(&error))?;
    let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let Read { config, positions } = parse(&bytes, &name)?;
    Ok(Loaded { config, path: path.into(), root, sha256, positions })
}

/// Reads a configuration from its bytes. `file_name` is for the messages.
///
/// # Errors
/// Every mistake that is in it.
pub fn parse(bytes: &[u8], file_name: &str) -> Result<Read, ConfigError> {
    if bytes.len() as u64 > MAX_BYTES {
        let help = "a configuration is a few kilobytes; check that this is the right file";
        return Err(ConfigError::unreadable(file_name, "the file is larger than 1 MiB", help));
    }
    let mut found = Findings::default();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let last = lines(&before).last().map_or(0, |line| line.chars().count());
            let place = Place { line: lines(&before).len(), column: last + 1, width: 1 };
            found.add(place, "", "the file is not UTF-8 here", Some("save it as UTF-8".into()));
            return Err(ConfigError::mistakes(file_name, &String::from_utf8_lossy(bytes), found));
        }
    };
    read(text, &mut found).ok_or_else(|| ConfigError::mistakes(file_name, text, found))
}

/// The configuration in `text`; `None` when mistakes were `found`.
fn read(text: &str, found: &mut Findings) -> Option<Read> {
    let tree = Tree::read(text, found)?;
    let root = Value::root(&tree);
    conform::check(&root, found);
    checks::check(&root, &lines(text), &has_bench_command, found);
    if !found.is_empty() {
        return None;
    }
    match serde_yaml::from_str(text) {
        Ok(config) => {
            let mut positions = Positions::default();
            positions.gather(&root);
            Some(Read { config, positions })
        }
        // What the checks let pass and the reader does not, such as a disagreement of two YAML parsers.
        Err(error) => {
            let place =
                error.location().map_or(Place::START, |at| Place { line: at.line(), column: at.column(), width: 1 });
            found.add(place, "", safe(&error.to_string()), None);
            None
        }
    }
}
