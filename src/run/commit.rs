//! Which commit a run is about.

use std::path::{Path, PathBuf};

use git2::Repository;

use crate::exit::{Exit, Failure};

/// A commit of the repository here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// 40 hex digits.
    pub id: String,
    /// First line of its message.
    pub subject: String,
    /// The branch that was named or is checked out at it.
    pub branch: Option<String>,
    /// Whether the working tree holds changes that no commit has.
    pub uncommitted: bool,
}

/// Top of the working tree that holds a path.
///
/// # Errors
/// No repository there, or a bare one.
pub fn work_tree(path: &Path) -> Result<PathBuf, Failure> {
    let shown = path.display();
    let repository = Repository::discover(path).map_err(|e| {
        let next = "isugate.yml belongs to the root of the application's git repository: `git init`, or go there";
        Failure::new(Exit::Usage, format!("{shown} is in no git repository: {}", e.message()), next)
    })?;
    repository
        .workdir()
        .map(Path::to_path_buf)
        .ok_or_else(|| Failure::new(Exit::Usage, format!("{shown} is in a bare repository"), "use a clone of it"))
}

/// Finds the commit that a revision names; `HEAD` by default.
///
/// # Errors
/// A revision that names none.
pub fn resolve(work_tree: &Path, revision: Option<&str>) -> Result<Commit, Failure> {
    let git = |e: git2::Error| {
        Failure::new(
            Exit::Failed,
            format!("the repository {}: {}", work_tree.display(), e.message()),
            "see `git status`",
        )
    };
    let repository = Repository::open(work_tree).map_err(git)?;
    let name = revision.unwrap_or("HEAD");
    let object = repository.revparse_single(name).and_then(|object| object.peel_to_commit()).map_err(|e| {
        let message = format!("`{}` names no commit here: {}", name.escape_debug(), e.message());
        Failure::new(Exit::Usage, message, "see `git log --oneline --all`; a branch of a remote must be fetched first")
    })?;
    let branch = match revision {
        Some(name) => repository.find_branch(name, git2::BranchType::Local).ok().map(|_| name.to_string()),
        None => repository.head().ok().and_then(|head| head.shorthand().ok().map(str::to_string)),
    };
    let mut options = git2::StatusOptions::new();
    options.include_untracked(true);
    let is_head = repository.head().ok().and_then(|head| head.target()) == Some(object.id());
    let uncommitted = is_head && repository.statuses(Some(&mut options)).is_ok_and(|changes| !changes.is_empty());
    Ok(Commit {
        id: object.id().to_string(),
        subject: object.summary().ok().flatten().unwrap_or_default().to_string(),
        branch: branch.filter(|name| name != "HEAD"),
        uncommitted,
    })
}
