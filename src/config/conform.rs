//! Compares the tree with the declared keys: unknown, missing and repeated keys, and values of the wrong type.

use std::collections::HashMap;

use super::{
    cursor::Value,
    diagnostic::quoted,
    duration::parse_duration,
    error::Findings,
    keys::{Field, ROOT, Shape},
    nearest::{did_you_mean, nearest},
    tree::Kind,
};

/// Takes down everything in which the tree is not what the declaration of the configuration says.
pub(super) fn check(root: &Value<'_>, found: &mut Findings) {
    conform(root, &ROOT, false, found);
}

fn conform(value: &Value<'_>, shape: &Shape, nullable: bool, found: &mut Findings) {
    if let Kind::Scalar { text, .. } = &value.node().kind
        && text.contains('\0')
    {
        found.add(value.place(), &value.path, format!("{}a NUL character", of(value)), Some("remove `\\0`".into()));
        return;
    }
    if nullable && value.is_null() {
        return;
    }
    match (shape, &value.node().kind) {
        (Shape::Object(fields), Kind::Map(_)) => object(value, fields, found),
        // A section with nothing below its key is an empty one.
        (Shape::Object(fields), _) if value.is_absent() => object(value, fields, found),
        (Shape::Map(inner), Kind::Map(_)) => {
            entries(value, found).iter().for_each(|(_, value)| conform(value, inner, false, found));
        }
        (Shape::List(inner), Kind::List(_)) => {
            value.items().iter().for_each(|item| conform(item, inner, false, found));
        }
        (Shape::Map(_) | Shape::List(_), _) if value.is_absent() => {}
        (Shape::Any, Kind::Map(_)) => {
            entries(value, found).iter().for_each(|(_, value)| conform(value, shape, true, found));
        }
        (Shape::Any, Kind::List(_)) => value.items().iter().for_each(|item| conform(item, shape, true, found)),
        (Shape::Any, Kind::Scalar { .. }) => {}
        (_, Kind::Scalar { text, plain }) if !value.is_null() => scalar(value, shape, text, *plain, found),
        _ => wrong_type(value, shape, None, found),
    }
}

/// The entries of a map whose keys are plain names, each once; the others are taken down.
fn entries<'t>(map: &Value<'t>, found: &mut Findings) -> Vec<(Value<'t>, Value<'t>)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut sound = Vec::new();
    for (key, value) in map.entries() {
        let place = key.node().place;
        let Some(name) = key.text() else {
            let help = "write `name: value`; a text that begins with `{`, `[` or `?` needs quotes";
            found.add(place, &map.path, format!("{}a key must be a name", of(map)), Some(help.into()));
            continue;
        };
        if name == "<<" {
            let help = "write the keys out; an alias (`*name`) can only stand for a whole value";
            found.add(place, &map.path, "merge keys (`<<`) are not supported", Some(help.into()));
        } else if let Some(line) = first.get(name) {
            let help = format!("it stands first in line {line}; keep one of them");
            found.add(place, &value.path, format!("the key {} is repeated{}", quoted(name), within(map)), Some(help));
        } else {
            first.insert(name, place.line);
            sound.push((key, value));
        }
    }
    sound
}

fn object(map: &Value<'_>, fields: &[Field], found: &mut Findings) {
    let entries = entries(map, found);
    let mut unknown = Vec::new();
    for (key, value) in &entries {
        let Some(name) = key.text() else { continue };
        match fields.iter().find(|field| field.name == name) {
            Some(field) => conform(value, &field.shape, field.nullable, found),
            None => {
                unknown.push(name);
                let help = if found.is_full() { String::new() } else { meant(name, fields) };
                let message = format!("unknown key {}{}", quoted(name), within(map));
                found.add(key.node().place, &value.path, message, Some(help));
            }
        }
    }
    for field in fields.iter().filter(|field| field.required) {
        let written = entries.iter().any(|(key, _)| key.text() == Some(&field.name));
        // A mistyped key is one mistake, not two.
        let mistyped = unknown.iter().any(|name| nearest(name, [field.name.as_str()]).is_some());
        if !written && !mistyped {
            let help = format!("add `{}:` ({})", field.name, field.meaning);
            let path = if map.path.is_empty() { field.name.clone() } else { format!("{}.{}", map.path, field.name) };
            found.add(map.key_place(), &path, format!("missing key `{}`{}", field.name, within(map)), Some(help));
        }
    }
}

/// What an unknown key could be meant to be.
fn meant(name: &str, fields: &[Field]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    match (nearest(name, names.iter().copied()), home(name, &ROOT, "")) {
        (None, Some(home)) => format!("`{name}` belongs to {home}; check the indentation"),
        _ => did_you_mean(name, &names, "the keys here are"),
    }
}

/// The section in which a key is declared, when there is exactly one.
fn home(name: &str, shape: &Shape, path: &str) -> Option<String> {
    fn homes(name: &str, shape: &Shape, path: &str, all: &mut Vec<String>) {
        match shape {
            Shape::Object(fields) => {
                for field in fields {
                    if field.name == name {
                        all.push(if path.is_empty() { "the top level".into() } else { format!("`{path}`") });
                    }
                    let below = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
                    homes(name, &field.shape, &below, all);
                }
            }
            Shape::List(inner) => homes(name, inner, &format!("{path}[]"), all),
            Shape::Map(inner) => homes(name, inner, &format!("{path}.NAME"), all),
            _ => {}
        }
    }
    let mut all = Vec::new();
    homes(name, shape, path, &mut all);
    match &all[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

fn scalar(value: &Value<'_>, shape: &Shape, text: &str, plain: bool, found: &mut Findings) {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match shape {
        Shape::Text => {}
        Shape::Duration => match parse_duration(text) {
            Ok(duration) if duration.is_zero() => {
                let help = "write how long it may take, such as 30s";
                found.add(value.place(), &value.path, format!("{}must be longer than 0", of(value)), Some(help.into()));
            }
            Ok(_) => {}
            Err(_) if digits => wrong_type(value, shape, Some(format!("did you mean `{text}s`?")), found),
            Err(_) => wrong_type(
                value,
                shape,
                Some("write a whole number and ms, s, m or h, such as 30s; a week at most".into()),
                found,
            ),
        },
        Shape::Code => {
            let odd = matches!(text, "true" | "false" | "True" | "False" | "TRUE" | "FALSE")
                || text.contains(|c: char| c.is_ascii_digit())
                    && text.parse::<i64>().is_err()
                    && text.parse::<f64>().is_ok();
            if plain && odd {
                wrong_type(value, shape, Some("if that is the code, put it in quotes".into()), found);
            }
        }
        Shape::Whole(most) => {
            let right = plain && digits && (text == "0" || !text.starts_with('0'));
            let fits = text.parse::<u64>().is_ok_and(|number| number <= *most);
            match (right, fits) {
                (true, true) => {}
                (true, false) => wrong_type(value, shape, Some(format!("{most} is the greatest")), found),
                (false, _) if digits && !plain => wrong_type(value, shape, Some("remove the quotes".into()), found),
                (false, _) => wrong_type(value, shape, None, found),
            }
        }
        Shape::Flag => {
            let right = matches!(text, "true" | "false" | "True" | "False" | "TRUE" | "FALSE");
            let meant = match text.to_lowercase().as_str() {
                "yes" | "y" | "on" | "1" => Some("true"),
                "no" | "n" | "off" | "0" => Some("false"),
                other => nearest(other, ["true", "false"]),
            };
            match (right, plain) {
                (true, true) => {}
                (true, false) => wrong_type(value, shape, Some("remove the quotes".into()), found),
                _ => wrong_type(value, shape, meant.map(|meant| format!("did you mean `{meant}`?")), found),
            }
        }
        Shape::Words(words) => {
            if !words.iter().any(|word| word == text) {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let help = did_you_mean(text, &words, "it can be");
                let message = format!("{}unknown value {}", of(value), quoted(text));
                found.add(value.place(), &value.path, message, Some(help));
            }
        }
        Shape::Object(_) | Shape::Map(_) | Shape::List(_) | Shape::Any => wrong_type(value, shape, None, found),
    }
}

fn wrong_type(value: &Value<'_>, shape: &Shape, help: Option<String>, found: &mut Findings) {
    let is = match &value.node().kind {
        Kind::List(_) => "a list".into(),
        Kind::Map(_) => "a map of keys".into(),
        Kind::Scalar { .. } if value.is_absent() => "nothing".into(),
        Kind::Scalar { text, .. } if value.is_null() => format!("null ({})", quoted(text)),
        Kind::Scalar { text, plain: true } => quoted(text),
        Kind::Scalar { text, .. } => format!("the text {}", quoted(text)),
    };
    let help = help.or_else(|| match (shape, &value.node().kind) {
        (Shape::List(_), Kind::Scalar { text, .. }) if !value.is_null() => {
            Some(format!("put it in brackets: `[{}]`", quoted(text).trim_matches('`')))
        }
        (Shape::List(_), Kind::Map(_)) => Some("begin each entry with `- `".into()),
        (Shape::Object(fields), _) => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            Some(format!("its keys are {}", names.join(", ")))
        }
        (Shape::Text | Shape::Duration, Kind::Map(_)) => Some("if the text begins with `{`, put it in quotes".into()),
        (Shape::Text | Shape::Duration, Kind::List(_)) => {
            Some("if the text begins with `[` or `-`, put it in quotes".into())
        }
        _ => None,
    });
    let message = format!("{}expected {}, found {is}", of(value), expected(shape));
    found.add(value.place(), &value.path, message, help);
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Object(_) | Shape::Map(_) => "a map of keys",
        Shape::List(_) => "a list",
        Shape::Text => "text",
        Shape::Duration => "a duration such as 30s",
        Shape::Code => "an error code, a whole number or a word",
        Shape::Whole(_) => "a whole number",
        Shape::Flag => "true or false",
        Shape::Words(_) => "a word",
        Shape::Any => "a value",
    }
}

/// How a message about a value begins: with its path, unless it is the root.
pub(super) fn of(value: &Value<'_>) -> String {
    if value.path.is_empty() { String::new() } else { format!("{}: ", super::diagnostic::safe(&value.path)) }
}

/// Where a key stands, for the end of a message.
fn within(map: &Value<'_>) -> String {
    match map.path.as_str() {
        "" => " at the top level".into(),
        path => format!(" in {}", super::diagnostic::safe(path)),
    }
}
