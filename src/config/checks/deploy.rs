//! Checks of `deploy`: paths, steps, what to restart and what must answer.

use super::{
    Check,
    text::{absolute, address_port, is_unit, relative, url},
};
use crate::config::{conform::of, cursor::Value, diagnostic::quoted};

pub(super) fn check(deploy: &Value<'_>, check: &mut Check<'_, '_>) {
    let list = |name: &str| deploy.get(name).iter().flat_map(Value::items).collect::<Vec<_>>();
    if let Some((text, value)) = deploy.get_text("dir") {
        let wrong = match text.trim_end_matches('/') {
            "" if text.starts_with('/') => Err("can't be the root directory"),
            _ => absolute(text),
        };
        path(&value, text, wrong, "such as `/home/isucon/webapp`", check);
    }
    for name in ["shared", "artifacts"] {
        for item in list(name) {
            let Some(text) = item.text() else { continue };
            let own = text.split('/').all(|part| matches!(part, "" | "."));
            let wrong = if own && !text.is_empty() { Err("is `deploy.dir` itself") } else { relative(text) };
            path(&item, text, wrong, "write a path below `deploy.dir`", check);
        }
    }
    for step in list("build") {
        check.on(&step);
        check.command(&step, "run");
    }
    for step in list("files") {
        check.on(&step);
        check.command(&step, "check");
        if let Some((text, value)) = step.get_text("from") {
            path(&value, text, relative(text), "write a path below the repository's root", check);
        }
        if let Some((text, value)) = step.get_text("to") {
            path(&value, text, absolute(text), "such as `/etc/nginx`", check);
        }
    }
    for step in list("restart") {
        check.on(&step);
        check.exactly_one(&step, &["unit", "run"]);
        check.command(&step, "run");
        if let Some((text, value)) = step.get_text("unit")
            && !is_unit(text)
        {
            let help = "such as `nginx` or `isuride-go.service`; a command goes to `run`";
            check.add(&value, format!("{}{} is not a unit's name", of(&value), quoted(text)), help);
        }
    }
    for step in list("ready") {
        check.on(&step);
        check.exactly_one(&step, &["tcp", "http", "run"]);
        ready(&step, check);
    }
}

fn path(value: &Value<'_>, text: &str, outcome: Result<(), &str>, help: &str, check: &mut Check<'_, '_>) {
    if let Err(wrong) = outcome {
        check.add(value, format!("{}{} {wrong}", of(value), quoted(text)), help);
    }
}

fn ready(step: &Value<'_>, check: &mut Check<'_, '_>) {
    check.command(step, "run");
    if let Some((text, value)) = step.get_text("tcp")
        && address_port(text).is_none()
    {
        let help = match text.bytes().all(|b| b.is_ascii_digit()) {
            true => format!("did you mean `127.0.0.1:{text}`?"),
            false => "such as `127.0.0.1:8080` or `[::1]:8080`".into(),
        };
        let help = if text.len() > 5 && help.starts_with("did") { "such as `127.0.0.1:8080`".into() } else { help };
        check.add(&value, format!("{}{} is not address:port", of(&value), quoted(text)), help);
    }
    if let Some((text, value)) = step.get_text("http") {
        let wrong = match url(text) {
            Ok(url) if ["http", "https"].contains(&url.scheme.to_ascii_lowercase().as_str()) => None,
            Ok(_) => Some("must begin with http:// or https://"),
            Err(wrong) => Some(wrong),
        };
        if let Some(wrong) = wrong {
            check.add(&value, format!("{}{} {wrong}", of(&value), quoted(text)), "such as `http://127.0.0.1:8080/`");
        }
    }
    if let Some((text, value)) = step.get_text("expect") {
        if step.get("http").is_none() {
            check.add(&value, format!("{}is only for `http`", of(&value)), "remove it, or use `http`");
        } else if text.parse().is_ok_and(|status: u16| !(100..=599).contains(&status)) {
            check.add(&value, format!("{}{} is not an HTTP status", of(&value), quoted(text)), "such as 200");
        }
    }
}
