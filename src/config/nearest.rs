//! Finds the right name that a mistyped one was probably meant to be.

use super::diagnostic::quoted;

/// How many candidates a message lists.
const LISTED: usize = 20;
/// How many candidates are looked at: more than anybody's file has, few enough to take no time.
const MOST: usize = 300;

/// The candidate nearest to `name`, when it is near enough to be worth proposing: at most a third of the letters differ,
/// or one is the beginning of the other. Swapped neighbours count as one difference; case does not count.
pub(super) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Long texts are no typing slips, and the distance costs the product of both lengths.
    if name.is_empty() || name.len() > 100 {
        return None;
    }
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .take(MOST)
        .filter(|candidate| !candidate.is_empty())
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            let longer = lower.chars().count().max(candidate.chars().count());
            let begins = lower.len() >= 3 && candidate.starts_with(&lower)
                || candidate.len() >= 3 && lower.starts_with(candidate);
            let close = distance <= (longer / 3).max(1);
            // Two one-letter names are always one letter apart; that says nothing.
            (close && longer > 1 || begins || distance == 0).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// ``did you mean `NAME`?`` for the nearest candidate, else `otherwise`, in which all candidates are listed.
pub(super) fn did_you_mean(name: &str, candidates: &[&str], otherwise: &str) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => {
            let names: Vec<String> = candidates.iter().take(LISTED).map(|c| quoted(c)).collect();
            let more = if candidates.len() > LISTED { ", …" } else { "" };
            format!("{otherwise} {}{more}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_slip_finds_its_name() {
        let names = ["restart", "ready", "build", "dir"];
        for (slip, right) in [("restrat", "restart"), ("Ready", "ready"), ("builds", "build"), ("directory", "dir")] {
            assert_eq!(nearest(slip, names), Some(right), "{slip}");
        }
    }

    #[test]
    fn what_is_like_nothing_finds_nothing() {
        assert_eq!(nearest("zzz", ["restart", "ready"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("x", ["a", "b"]), None);
        assert_eq!(nearest(&"r".repeat(5000), ["restart"]), None);
    }
}
