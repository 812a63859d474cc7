//! The demo's programs, built from `fixtures/demo`. All tests share Go's caches in `target/go`, and all builds their flags:
//! other flags would build the standard library and the database driver once more, which takes a minute.

use super::process;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Go's caches are: `mod` (what it downloaded) and `build`. `scripts/test` uses the same.
///
/// # Errors
/// When the folder cannot be made.
pub fn caches() -> Result<PathBuf> {
    let caches = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("go");
    fs::create_dir_all(&caches).with_context(|| format!("cannot make {}", caches.display()))?;
    Ok(caches)
}

/// Builds a package of a module in `fixtures/demo`, with the flags of its `build` script.
///
/// # Errors
/// When Go is missing or says no.
pub fn build(module: &str, package: &str, to: &Path) -> Result<()> {
    let caches = caches()?;
    let path = format!("{}:/usr/local/go/bin", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("go");
    command.args(["build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o"]).arg(to).arg(package);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo").join(module));
    command.env("PATH", path).env("CGO_ENABLED", "0").env("GOTOOLCHAIN", "local").env("GOFLAGS", "-modcacherw");
    process::run(command.env("GOMODCACHE", caches.join("mod")).env("GOCACHE", caches.join("build"))).map(drop)
}
