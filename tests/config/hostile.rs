//! Files that are no configuration: whatever the bytes, an answer comes soon and without a crash.

use std::time::{Duration, Instant};

use isugate::config::parse;
use proptest::prelude::*;

/// What is said about a file that must be refused, within a time that a person does not notice.
fn refused(text: &[u8]) -> String {
    let begun = Instant::now();
    let said = parse(text, "isugate.yml").unwrap_err().to_string();
    let took = begun.elapsed();
    // Quadratic work on a mebibyte takes minutes; a debug build on a busy machine needs a second or two.
    assert!(took < Duration::from_secs(20), "{took:?} for {}", &said[..said.len().min(200)]);
    assert!(said.len() < 40_000, "{} bytes said", said.len());
    said
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..20 {
        let aliases = vec![format!("*a{}", i - 1); 10].join(", ");
        text += &format!("a{i}: &a{i} [{aliases}]\n");
    }
    assert!(refused(text.as_bytes()).contains("more than 20000 values"));
}

#[test]
fn an_alias_of_what_it_stands_in_is_refused() {
    assert!(refused(b"a: &a [*a]\n").contains("stands for the value that it is in"));
}

#[test]
fn deep_nesting_is_refused_where_it_gets_too_deep() {
    let block: String = (0..5000).map(|depth| " ".repeat(depth % 150) + "a:\n").collect();
    refused(block.as_bytes());
    for text in ["[".repeat(5000), "{a: ".repeat(5000), "- ".repeat(5000), "? ".repeat(5000)] {
        let said = refused(text.as_bytes());
        assert!(said.contains("nested") || said.contains("not valid YAML"), "{said}");
    }
    let mut through_aliases = String::from("a0: &a0 [x]\n");
    for i in 1..60 {
        through_aliases += &format!("a{i}: &a{i} [*a{}]\n", i - 1);
    }
    assert!(refused(through_aliases.as_bytes()).contains("nested more than 40 deep"));
}

#[test]
fn a_mebibyte_of_anything_is_answered_soon() {
    for unit in [
        "a", "\n", "[", "{", "- ", "? ", "a: 1\n", "a:\n", "- a\n", "&a ", "*a ", "! ", "\"", "'", "#\n", "\u{1b}",
        "日", "|\n ",
    ] {
        refused(unit.repeat(1_000_000 / unit.len()).as_bytes());
    }
    let hosts: String = (0..30_000).map(|i| format!("  h{i}: {{ ssh: a }}\n")).collect();
    refused(format!("version: 1\nhosts:\n{hosts}").as_bytes());
    let few: String = (0..5_000).map(|i| format!("  h{i}: {{ ssh: a }}\n")).collect();
    let on = "  - { on: h99999, name: n, run: x }\n".repeat(800);
    refused(format!("version: 1\nhosts:\n{few}bench: {{ on: h1, run: x }}\ncollect:\n{on}").as_bytes());
    let variables = "{{nothing}} ".repeat(80_000);
    refused(
        format!("version: 1\nhosts: {{ a: {{ local: true }} }}\nbench: {{ on: a, run: \"{variables}\" }}\n").as_bytes(),
    );
    let names: String = (0..60_000).map(|i| format!("{{{{n{i}}}}} ")).collect();
    refused(
        format!("version: 1\nhosts: {{ a: {{ local: true }} }}\nbench: {{ on: a, run: \"{names}\" }}\n").as_bytes(),
    );
    refused((0..9_900).map(|i| format!("restart{i}: 1\n")).collect::<String>().as_bytes());
    let long = "x".repeat(1_000_000);
    refused(format!("version: 1\nhosts: {{ a: {{ local: true }} }}\nbench: {{ on: a, run: \"{long}{{{{nothing}}}}\", wrong: 1 }}\n").as_bytes());
    let roles = (0..9_000).map(|i| format!("r{i}")).collect::<Vec<_>>().join(", ");
    refused(
        format!("version: 1\nhosts: {{ a: {{ local: true, roles: [{roles}] }} }}\nbench: {{ on: b, run: x }}\n")
            .as_bytes(),
    );
}

/// Pieces that YAML and the configuration are made of, so that random texts get past the first character.
fn piece() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "version",
        "hosts",
        "bench",
        "deploy",
        "on",
        "run",
        "ssh",
        "local",
        "roles",
        "ready",
        "tcp",
        "http",
        "restart",
        "unit",
        "files",
        "isutools",
        "url",
        "verdict",
        "codes",
        "allow",
        "deny",
        "ledger",
        "branch",
        "within",
        "timeout",
        "result",
        "app1",
        ": ",
        ":\n",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "\n- ",
        "\n  - ",
        "{ ",
        " }",
        "[",
        "]",
        ", ",
        "\"",
        "'",
        "|\n",
        "&a ",
        "*a",
        "<<",
        "!!str ",
        "---\n",
        "...\n",
        "#",
        "1",
        "true",
        "~",
        "30s",
        "{{host.app1}}",
        "{{",
        "}}",
        "127.0.0.1:80",
        "http://",
        "\t",
        "\r",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\0",
        "%YAML 1.1\n",
        "? ",
        "日本",
        "@",
        "-x",
        "..",
        "/",
    ];
    prop_oneof![8 => prop::sample::select(WORDS).prop_map(String::from), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(error) = parse(&bytes, "x") {
            let said = error.to_string();
            prop_assert!(!said.is_empty() && !said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
        }
    }

    #[test]
    fn arbitrary_yaml_is_answered(pieces in prop::collection::vec(piece(), 0..80)) {
        if let Err(error) = parse(pieces.concat().as_bytes(), "x") {
            let said = error.to_string();
            prop_assert!(!said.is_empty() && !said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
            for one in error.diagnostics() {
                prop_assert!(one.line >= 1 && one.column >= 1 && one.width >= 1);
            }
        }
    }

    #[test]
    fn one_changed_character_of_a_right_file_is_answered(at in 0usize..1000, with in piece()) {
        let right = "version: 1\nhosts:\n  app1: { ssh: a@b, roles: [app] }\ndeploy:\n  dir: /srv\n  ready:\n    - { on: app, tcp: \"1.2.3.4:5\" }\nbench:\n  on: app1\n  run: |\n    x {{host.app1}}\n    y {{commit}}\n";
        let at = at % right.len();
        let text = format!("{}{with}{}", &right[..at], &right[at + 1..]);
        if let Err(error) = parse(text.as_bytes(), "x") {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
