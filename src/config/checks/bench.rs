//! Checks of `bench`: where it runs, by which command, and how its result is read.

use std::collections::HashMap;

use super::{
    Check,
    text::{absolute, is_name},
};
use crate::config::{
    conform::of,
    cursor::Value,
    diagnostic::quoted,
    known::FORMATS,
    nearest::{did_you_mean, nearest},
    template::{TemplateError, Variable, variables},
};

/// The template variables that stand for one thing.
const VARIABLES: [&str; 3] = ["result_file", "run_dir", "commit"];

pub(super) fn check(bench: &Value<'_>, contest: &str, has_command: &dyn Fn(&str) -> bool, check: &mut Check<'_, '_>) {
    check.on_one(bench, "the benchmarker runs on exactly one");
    check.command(bench, "run");
    match bench.get_text("run") {
        Some((text, value)) => template(text, &value, check),
        // An unknown contest is a mistake of its own.
        None if bench.get("run").is_none() && (contest == "generic" || !has_command(contest)) && known(contest) => {
            let message = format!("missing key `run` in bench: the contest `{contest}` has no command of its own");
            let help = "add `run:` with the benchmarker's command line";
            check.found.add(bench.key_place(), "bench.run", message, Some(help.into()));
        }
        None => {}
    }
    if let Some((text, value)) = bench.get_text("dir")
        && let Err(wrong) = absolute(text)
    {
        check.add(&value, format!("{}{} {wrong}", of(&value), quoted(text)), "such as `/home/isucon`");
    }
    if let Some((text, value)) = bench.get_text("format")
        && !FORMATS.contains(&text)
    {
        let help = did_you_mean(text, FORMATS, "the formats are");
        check.add(&value, format!("{}unknown format {}", of(&value), quoted(text)), help);
    }
}

fn known(contest: &str) -> bool {
    crate::config::known::CONTESTS.contains(&contest)
}

/// Every variable of the command must be known.
fn template(text: &str, value: &Value<'_>, check: &mut Check<'_, '_>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for variable in variables(text) {
        match variable {
            Ok(Variable { name, start, end }) => {
                let written = &text[start..end];
                let nth = seen.entry(written).or_default();
                let this = std::mem::replace(nth, *nth + 1);
                if !is_known(name, check) {
                    let message = format!("{}unknown template variable {}", of(value), quoted(written));
                    let help = if check.found.is_full() { String::new() } else { meant(name, check) };
                    check.add_within(value, written, this, message, help);
                }
            }
            Err(error) => {
                let TemplateError::Unclosed { at } = error else { continue };
                let rest = text[at..].lines().next().unwrap_or_default();
                let help = "write `{{name}}` in one line".to_string();
                check.add_within(value, rest, 0, format!("{}{error}", of(value)), help);
            }
        }
    }
}

/// Whether a variable has a value. Without any host, none of their names is a mistake of its own.
fn is_known(name: &str, check: &Check<'_, '_>) -> bool {
    match name.split_once('.') {
        Some(("host", host)) => check.names.is_host(host) || !check.names.any(),
        Some(("port", port)) => is_name(port),
        _ => VARIABLES.contains(&name),
    }
}

/// What an unknown variable could be meant to be.
fn meant(name: &str, check: &Check<'_, '_>) -> String {
    let hosts = check.names.hosts();
    match name.split_once('.') {
        Some(("host", host)) => match (&check.names.select(host)[..], nearest(host, hosts.iter().copied())) {
            ([one], _) => format!("{} is a role; write {}", quoted(host), quoted(&format!("{{{{host.{one}}}}}"))),
            ([_, _, ..], _) => format!("{} is a role of several hosts; name one of them", quoted(host)),
            ([], Some(near)) => format!("did you mean {}?", quoted(&format!("{{{{host.{near}}}}}"))),
            ([], None) => did_you_mean(host, &hosts, "the hosts are"),
        },
        Some(("port", _)) => "a port's name has letters, digits, `_` and `-`".into(),
        _ => {
            let host = hosts.first().map_or("host.NAME".into(), |host| format!("host.{host}"));
            let mut candidates = VARIABLES.to_vec();
            candidates.extend([host.as_str(), "port.NAME"]);
            did_you_mean(name, &candidates, "the variables are")
        }
    }
}
