//! Checks of what is taken besides the score: `isutools`, `collect`, `probe`, the error codes, and where it is kept.

use std::collections::HashMap;

use super::{
    Check,
    text::{absolute, is_file_name, is_loopback, url},
};
use crate::config::{conform::of, cursor::Value, diagnostic::quoted};

pub(super) fn check(root: &Value<'_>, check: &mut Check<'_, '_>) {
    let list = |name: &str| root.get(name).iter().flat_map(Value::items).collect::<Vec<_>>();
    for server in list("isutools") {
        isutools(&server, check);
    }
    for section in ["collect", "probe"] {
        let mut lines: HashMap<&str, usize> = HashMap::new();
        for step in list(section) {
            check.on(&step);
            check.command(&step, "run");
            let Some((name, value)) = step.get_text("name") else { continue };
            if !is_file_name(name) {
                let help = "use letters, digits, `.`, `_` and `-`; it becomes a file's name";
                check.add(&value, format!("{}{} can't be a name here", of(&value), quoted(name)), help);
            } else if let Some(line) = lines.insert(name, value.place().line) {
                let message = format!("{}the name {} is used twice", of(&value), quoted(name));
                check.add(&value, message, format!("it stands first in line {line}; rename one"));
            }
        }
    }
    if let Some(codes) = root.get("verdict").and_then(|verdict| verdict.get("codes")) {
        let denied: Vec<&str> =
            codes.get("deny").iter().flat_map(Value::items).filter_map(|code| code.text()).collect();
        for (key, value) in codes.get("allow").iter().flat_map(Value::entries) {
            if let Some(code) = key.text().filter(|code| denied.contains(code)) {
                let message = format!("verdict.codes: the code {} is both denied and allowed", quoted(code));
                check.found.add(key.node().place, &value.path, message, Some("keep one of the two".into()));
            }
        }
    }
    if let Some(ledger) = root.get("ledger") {
        if let Some((text, value)) = ledger.get_text("branch")
            && !is_branch(text)
        {
            check.add(
                &value,
                format!("{}{} can't be a branch's name", of(&value), quoted(text)),
                "such as `isugate-ledger`",
            );
        }
        if let Some((text, value)) = ledger.get_text("remote")
            && (text.is_empty() || text.starts_with('-') || text.chars().any(|c| c.is_control() || c.is_whitespace()))
        {
            check.add(&value, format!("{}{} can't be a remote's name", of(&value), quoted(text)), "such as `origin`");
        }
    }
}

fn isutools(server: &Value<'_>, check: &mut Check<'_, '_>) {
    check.on_one(server, "an isutools server is on exactly one");
    if let Some((text, value)) = server.get_text("url") {
        let wrong = match url(text) {
            Err(wrong) => Some(wrong),
            Ok(url) if !url.scheme.eq_ignore_ascii_case("http") => Some("must begin with http://"),
            Ok(url) if !is_loopback(url.host) => Some("is not this host's own address, and isutools answers no other"),
            Ok(url) if !matches!(url.rest, "" | "/") => Some("must end after the port"),
            Ok(_) => None,
        };
        if let Some(wrong) = wrong {
            let help = "such as `http://127.0.0.1:19191`: it is asked from the host that `on` names";
            check.add(&value, format!("{}{} {wrong}", of(&value), quoted(text)), help);
        }
    }
    if let Some((text, value)) = server.get_text("data_dir")
        && let Err(wrong) = absolute(text)
    {
        let help = "such as `/home/isucon/isutools-data`, as in the server's `ISUTOOLS_DATA_DIR`";
        check.add(&value, format!("{}{} {wrong}", of(&value), quoted(text)), help);
    }
}

/// Whether git takes a text for a branch's name, by the rules of `git check-ref-format` for letters without accents.
fn is_branch(text: &str) -> bool {
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'+'))
        && !text.starts_with('-')
        && !text.ends_with('.')
        && !text.contains("..")
        && text.split('/').all(part)
}
