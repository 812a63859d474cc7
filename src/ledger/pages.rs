//! The pages of the branch's root, made anew with every change.

use git2::{FileMode, Oid, Repository, build::TreeUpdateBuilder};

use super::{LedgerError, read, readme, score_svg};

/// Runs that the pages show; reading only these keeps an append as fast in a long ledger as in a short one.
const SHOWN: usize = if score_svg::MAX_RUNS > readme::MAX_RUNS { score_svg::MAX_RUNS } else { readme::MAX_RUNS };

/// The tree with `README.md` and `score.svg` as its runs want them.
pub(super) fn write(repo: &Repository, tree: Oid) -> Result<Oid, LedgerError> {
    let root = repo.find_tree(tree)?;
    let listing = read::list(repo, &root, SHOWN)?;
    let total = read::runs_tree(repo, &root)?.map_or(0, |runs| runs.len());
    let mut update = TreeUpdateBuilder::new();
    update.upsert("README.md", repo.blob(readme::render(&listing, total).as_bytes())?, FileMode::Blob);
    update.upsert("score.svg", repo.blob(score_svg::render(&listing.entries, None).as_bytes())?, FileMode::Blob);
    Ok(update.create_updated(repo, &root)?)
}
