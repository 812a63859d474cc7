//! Checks of what the values mean, each with the place in the file. They work on the tree, so that they also see what is
//! wrong beside a value of the wrong type; whatever has the wrong type is passed over here.

mod bench;
mod deploy;
mod evidence;
mod hosts;
mod text;

use super::{
    cursor::Value,
    diagnostic::{Place, quoted},
    error::Findings,
    known::CONTESTS,
    nearest::{did_you_mean, nearest},
};
use hosts::Names;

/// What a check works with.
struct Check<'c, 't> {
    /// The lines of the file.
    source: &'c [&'t str],
    names: Names<'t>,
    found: &'c mut Findings,
}

/// Takes down everything in the file that can't be meant. `has_command` says whether a contest's preset brings a
/// benchmark command.
pub(super) fn check(root: &Value<'_>, source: &[&str], has_command: &dyn Fn(&str) -> bool, found: &mut Findings) {
    let names = hosts::check(root, found);
    let mut check = Check { source, names, found };
    if let Some((version, value)) = root.get_text("version")
        && version != "1"
        && version.parse::<u32>().is_ok()
    {
        let message = format!("version: {} is not known", quoted(version));
        check.add(&value, message, "this isugate reads version 1");
    }
    let contest = root.get_text("contest");
    if let Some((contest, value)) = &contest
        && !CONTESTS.contains(contest)
    {
        let message = format!("contest: unknown contest {}", quoted(contest));
        let help = did_you_mean(contest, CONTESTS, "for a service of your own write `generic`; the contests are");
        check.add(value, message, help);
    }
    if let Some(deploy) = root.get("deploy") {
        deploy::check(&deploy, &mut check);
    }
    if let Some(bench) = root.get("bench") {
        bench::check(&bench, contest.map_or("generic", |(contest, _)| contest), has_command, &mut check);
    }
    evidence::check(root, &mut check);
}

/// Whether a map has a key that is a typing slip of one of `keys`, or a merge key: that is then a mistake of its own, and
/// that none of `keys` is there is no second one.
fn mistyped(map: &Value<'_>, keys: &[&str]) -> bool {
    let slip = |name: &str| name == "<<" || !keys.contains(&name) && nearest(name, keys.iter().copied()).is_some();
    map.entries().iter().any(|(key, _)| key.text().is_some_and(slip))
}

impl<'t> Check<'_, 't> {
    /// Takes a mistake in a value down.
    fn add(&mut self, value: &Value<'_>, message: impl Into<String>, help: impl Into<String>) {
        self.found.add(value.place(), &value.path, message, Some(help.into()));
    }

    /// Takes a mistake in a text down, where `needle` stands for the `nth` time (from 0) within it.
    fn add_within(&mut self, value: &Value<'_>, needle: &str, nth: usize, message: String, help: String) {
        let start = value.place();
        if self.found.is_full() {
            return self.found.add(start, &value.path, message, None);
        }
        let mut left = nth;
        let place = (start.line..=value.node().last_line.max(start.line)).find_map(|line| {
            let text = self.source.get(line - 1)?;
            let skip = if line == start.line { start.column - 1 } else { 0 };
            let from = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
            let hit = text[from..].match_indices(needle).nth(left).map(|(at, _)| at);
            left -= text[from..].matches(needle).take(left).count();
            let column = text[..from + hit?].chars().count() + 1;
            Some(Place { line, column, width: needle.chars().count() })
        });
        self.found.add(place.unwrap_or(start), &value.path, message, Some(help));
    }

    /// The hosts that `on` of a step selects, with a mistake taken down when there are none.
    fn on(&mut self, step: &Value<'_>) -> Vec<&'t str> {
        let Some((on, value)) = step.get_text("on") else { return Vec::new() };
        let selected = self.names.select(on);
        if selected.is_empty() && self.names.any() {
            let all = self.names.all();
            let help = did_you_mean(on, &all, "the hosts and roles are");
            self.add(
                &value,
                format!("{}no host and no role is called {}", super::conform::of(&value), quoted(on)),
                help,
            );
        }
        selected
    }

    /// As [`Check::on`], where exactly one host must be meant.
    fn on_one(&mut self, step: &Value<'_>, why: &str) {
        let selected = self.on(step);
        if let ([_, _, ..], Some((on, value))) = (&selected[..], step.get_text("on")) {
            let count = selected.len();
            let names: Vec<String> = selected.iter().map(|name| quoted(name)).collect();
            let message = format!("{}{} names {count} hosts, and {why}", super::conform::of(&value), quoted(on));
            self.add(&value, message, format!("name one of them: {}", names.join(", ")));
        }
    }

    /// A command line must say something.
    fn command(&mut self, step: &Value<'_>, key: &str) {
        if let Some((command, value)) = step.get_text(key)
            && command.trim().is_empty()
        {
            self.add(&value, format!("{}an empty command", super::conform::of(&value)), "write the command line");
        }
    }

    /// Exactly one of some keys must be there.
    fn exactly_one(&mut self, step: &Value<'_>, keys: &[&str]) {
        let given: Vec<Value<'_>> = keys.iter().filter_map(|key| step.get(key)).collect();
        let either = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
        match &given[..] {
            [_] => {}
            [] if mistyped(step, keys) => {}
            [] => {
                let message =
                    format!("{}neither {} is given", super::conform::of(step), either.replace(" or ", " nor "));
                self.found.add(step.key_place(), &step.path, message, Some(format!("add one of {either}")));
            }
            [first, second, ..] => {
                let name = |value: &Value<'_>| quoted(value.path.rsplit('.').next().unwrap_or_default());
                let message = format!("{}both {} and {}", super::conform::of(step), name(first), name(second));
                let help = format!("keep one of {either}; use two entries for two things");
                self.found.add(second.key_place(), &step.path, message, Some(help));
            }
        }
    }
}
