//! Reading a right `isugate.yml`, the example of the documentation among them.

use std::{path::Path, time::Duration};

use isugate::config::{CONTESTS, FORMATS, json_schema, load, parse, shape::CommentMode};

const MINIMAL: &str = "version: 1\nhosts: { me: { local: true } }\nbench: { on: me, run: x }\n";

#[test]
fn the_example_of_the_documentation_is_right_and_means_what_it_says() {
    let page = include_str!("../../docs/configuration.md");
    let blocks: Vec<&str> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let whole: Vec<&&str> = blocks.iter().filter(|block| block.starts_with("version:")).collect();
    assert_eq!(whole.len(), 2, "the smallest file and the example");
    for block in &whole {
        parse(block.as_bytes(), "docs/configuration.md").unwrap_or_else(|error| panic!("{error}"));
    }
    let config = parse(whole[1].as_bytes(), "example").unwrap().config;
    assert_eq!(config.hosts_on("app"), ["app1", "app2"]);
    assert_eq!(config.hosts_on("bench"), ["bench"]);
    assert_eq!(config.host_address("app1").as_deref(), Some("192.168.0.11"));
    assert_eq!(config.bench.timeout, Some(Duration::from_secs(180)));
}

#[test]
fn every_key_is_documented() {
    let page = include_str!("../../docs/configuration.md");
    let schema: serde_json::Value = serde_json::from_str(&json_schema().unwrap()).unwrap();
    let mut objects = vec![&schema["properties"]];
    objects.extend(schema["$defs"].as_object().unwrap().values().map(|definition| &definition["properties"]));
    let keys: Vec<&String> = objects.iter().filter_map(|object| object.as_object()).flat_map(|o| o.keys()).collect();
    assert!(keys.len() > 50);
    for key in keys {
        assert!(page.contains(&format!("`{key}`")), "docs/configuration.md does not explain `{key}`");
    }
    for name in CONTESTS.iter().chain(FORMATS) {
        assert!(page.contains(&format!("`{name}`")), "docs/configuration.md does not name `{name}`");
    }
}

#[test]
fn every_key_has_a_description_in_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(&json_schema().unwrap()).unwrap();
    for definition in schema["$defs"].as_object().unwrap().values().chain([&schema]) {
        for (key, property) in definition["properties"].as_object().into_iter().flatten() {
            assert!(property["description"].is_string(), "{key}");
        }
    }
}

#[test]
fn the_smallest_file_gets_the_defaults() {
    let config = parse(MINIMAL.as_bytes(), "x").unwrap().config;
    assert_eq!((config.contest.as_str(), config.ledger.branch.as_str()), ("generic", "isugate-ledger"));
    assert_eq!(config.ssh.connect_timeout, Duration::from_secs(10));
    assert_eq!(config.github.comment, CommentMode::Sticky);
    assert!(config.deploy.is_none());
    assert_eq!(config.host_address("me").as_deref(), Some("127.0.0.1"));
    assert_eq!(config.host_address("you"), None);
    assert!(config.hosts_on("you").is_empty());
}

#[test]
fn sections_with_nothing_in_them_are_empty_ones() {
    let text = "version: 1
hosts: { me: { local: true, roles: , address: } }
bench: { on: me, run: x, format: , timeout: ~ }
deploy: { dir: /srv/app, build: , shared: , restart: }
ledger:
report:
collect:
isutools:
verdict: { codes: { deny: , allow: } }
";
    parse(text.as_bytes(), "x").unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn spellings_that_editors_and_people_produce_are_read() {
    let crlf = MINIMAL.replace('\n', "\r\n");
    let marked = format!("\u{feff}---\n{MINIMAL}...\n");
    let anchors = "version: 1\nhosts: { a: &h { ssh: x@h, roles: [app] }, b: *h }\nbench: { on: a, run: 'x' }\n";
    let comment = MINIMAL.to_string() + "github: { comment: off, check: True }\n";
    for text in [crlf.as_str(), &marked, anchors, &comment] {
        parse(text.as_bytes(), "x").unwrap_or_else(|error| panic!("{error}"));
    }
    let comment = parse(comment.as_bytes(), "x").unwrap().config.github;
    assert!(comment.comment == CommentMode::Off && comment.check);
}

#[test]
fn error_codes_are_numbers_or_words() {
    let text = MINIMAL.to_string()
        + "verdict: { codes: { deny: [34, E17, \"5.0\", critical-error], allow: { 17: 10, w: 1 } } }";
    let codes = parse(text.as_bytes(), "x").unwrap().config.verdict.codes;
    let names: Vec<&str> = codes.deny.iter().chain(codes.allow.keys()).map(|code| code.0.as_str()).collect();
    assert_eq!(names, ["34", "5.0", "E17", "critical-error", "17", "w"]);
}

#[test]
fn ssh_destinations_give_addresses() {
    for (ssh, address) in [
        ("isucon@192.168.0.11", "192.168.0.11"),
        ("ssh://isucon@app1.example:2222", "app1.example"),
        ("'ssh://u@[fe80::1]:22'", "fe80::1"),
        ("'u@fe80::1%eth0'", "fe80::1%eth0"),
        ("app-1_alias.x", "app-1_alias.x"),
    ] {
        let text = MINIMAL.replace("local: true", &format!("ssh: {ssh}"));
        let config = parse(text.as_bytes(), "x").unwrap_or_else(|error| panic!("{error}")).config;
        assert_eq!(config.host_address("me").as_deref(), Some(address), "{ssh}");
    }
    let given = MINIMAL.replace("local: true", "ssh: alias, address: 10.0.0.1");
    assert_eq!(parse(given.as_bytes(), "x").unwrap().config.host_address("me").as_deref(), Some("10.0.0.1"));
}

#[test]
fn a_name_selects_its_host_and_a_role_all_that_have_it() {
    let text = "version: 1
hosts: { b: { ssh: b, roles: [app, b] }, a: { ssh: a, roles: [app, b] }, c: { ssh: c } }
bench: { on: c, run: x }
";
    let config = parse(text.as_bytes(), "x").unwrap_or_else(|error| panic!("{error}")).config;
    assert_eq!(config.hosts_on("app"), ["a", "b"]);
    assert_eq!(config.hosts_on("b"), ["a", "b"]);
    assert_eq!(config.hosts_on("c"), ["c"]);
}

#[test]
fn positions_are_known_by_path() {
    let text = "version: 1\nhosts:\n  me:\n    local: true\n    roles: [app, db]\nbench:\n  on: me\n  run: |\n    x\n";
    let positions = parse(text.as_bytes(), "x").unwrap().positions;
    assert_eq!(positions.key("hosts.me.roles"), Some((5, 5)));
    assert_eq!(positions.value("hosts.me.roles[1]"), Some((5, 18)));
    assert_eq!(positions.key("hosts.me.roles[1]"), Some((5, 18)));
    assert_eq!(positions.value("bench.on"), Some((7, 7)));
    assert_eq!(positions.key("bench"), Some((6, 1)));
    assert_eq!(positions.value("bench.dir"), None);
}

#[test]
fn a_file_is_loaded_with_its_hash_and_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("isugate.yml");
    std::fs::write(&path, "version: 1\nhosts: { me: { local: true } }\nbench: { on: me, run: x }\n").unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.root, directory.path());
    assert_eq!(loaded.path, path);
    // printf 'version: 1\nhosts: …' | sha256sum
    assert_eq!(loaded.sha256, "c58dd47e73123a2ddd79fe7e286b5ba3dcd50afd1c9576e9a3b6aa74c0d19cef");
    std::fs::write(&path, "version: 2\n").unwrap();
    let said = load(&path).unwrap_err().to_string();
    assert!(said.starts_with(&format!("{}:1:1: ", path.display())), "{said}");
}

#[test]
fn a_file_that_can_not_be_read_is_said_with_the_next_step() {
    let said = |path: &Path| load(path).unwrap_err().to_string();
    assert_eq!(
        said(Path::new("no/isugate.yml")),
        "no/isugate.yml: there is no such file\n   help: write one; docs/configuration.md has an example"
    );
    assert!(said(Path::new(".")).starts_with(".: this is a directory"));
    assert!(load(Path::new("no/isugate.yml")).unwrap_err().diagnostics().is_empty());
}
