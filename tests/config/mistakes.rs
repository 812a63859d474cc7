//! What a person sees who has made a mistake in `isugate.yml`.

use isugate::config::parse;

/// Compares with the snapshot of the test's name, or of the name given.
macro_rules! shows {
    ($($argument:expr),+) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($($argument),+) })
    };
}

/// A right configuration, to put one mistake into.
const RIGHT: &str = r#"version: 1
contest: isucon14
hosts:
  app1: { ssh: isucon@192.168.0.11, roles: [app, nginx] }
  app2: { ssh: isucon@192.168.0.12, roles: [app, db] }
  bench: { local: true, roles: [bench] }
deploy:
  dir: /home/isucon/webapp
  build:
    - { on: app, run: "make" }
  restart:
    - { on: app, unit: isuride-go }
  ready:
    - { on: app, tcp: "127.0.0.1:8080", within: 30s }
bench:
  on: bench
  run: "bench --addr {{host.app1}}:443 --port {{port.payment}}"
isutools:
  - { on: app1, url: "http://127.0.0.1:19191", data_dir: /home/isucon/isutools-data }
"#;

fn said(text: impl AsRef<[u8]>) -> String {
    match parse(text.as_ref(), "isugate.yml") {
        Ok(_) => panic!("no mistake was found in\n{}", String::from_utf8_lossy(text.as_ref())),
        Err(error) => error.to_string(),
    }
}

/// `RIGHT` with one of its texts replaced.
fn with(old: &str, new: &str) -> String {
    assert!(RIGHT.contains(old), "{old}");
    RIGHT.replacen(old, new, 1)
}

/// The part of `RIGHT` from one text up to another.
fn section(from: &str, to: &str) -> &'static str {
    &RIGHT[RIGHT.find(from).unwrap()..RIGHT.find(to).unwrap()]
}

/// What is said about several changes of `RIGHT`, each by itself.
fn all(changes: &[(&str, &str)]) -> String {
    changes.iter().map(|(old, new)| said(with(old, new)) + "\n").collect::<Vec<_>>().join("\n")
}

#[test]
fn the_unchanged_configuration_is_right() {
    parse(RIGHT.as_bytes(), "isugate.yml").unwrap();
}

#[test]
fn unknown_keys() {
    shows!(all(&[
        ("restart:", "restrat:"),
        ("contest:", "contst:"),
        ("  on: bench", "  on: bench\n  data_dir: /x"),
        ("  on: bench", "  on: bench\n  zzzzzz: 1"),
        ("unit: isuride-go", "unti: isuride-go"),
    ]));
}

#[test]
fn missing_keys() {
    let (bench, command) = (section("bench:\n  on", "isutools:"), section("  run: \"bench", "isutools:"));
    shows!(all(&[
        ("version: 1\n", ""),
        ("  dir: /home/isucon/webapp\n", ""),
        ("{ on: app, run: \"make\" }", "{ run: make }"),
        (bench, ""),
    ]));
    let generic = with("contest: isucon14\n", "").replace(command, "");
    shows!("a_command_that_no_preset_brings", said(generic));
}

#[test]
fn wrong_types() {
    shows!(all(&[
        ("version: 1", "version: one"),
        ("version: 1", "version: \"1\""),
        ("version: 1", "version: 99999999999"),
        ("roles: [bench]", "roles: bench"),
        ("local: true", "local: yes"),
        ("local: true", "local: \"true\""),
        ("within: 30s", "within: 30"),
        ("within: 30s", "within: soon"),
        ("within: 30s", "within: 0s"),
        ("dir: /home/isucon/webapp", "dir: ~"),
        ("dir: /home/isucon/webapp", "dir: {{dir}}"),
        ("dir: /home/isucon/webapp", "dir: [/a, /b]"),
        ("dir: /home/isucon/webapp", "dir:"),
        ("deploy:\n", "ledger: main\ndeploy:\n"),
        ("deploy:\n", "verdict: { preset: practise }\ndeploy:\n"),
        ("deploy:\n", "verdict: { codes: { deny: [1.5], allow: { 17: many } } }\ndeploy:\n"),
    ]));
}

#[test]
fn repeated_keys_tags_merges_documents() {
    shows!(all(&[
        ("bench:\n", "hosts: {}\nbench:\n"),
        ("  app2:", "  app1:"),
        ("bench:\n", "bench:\n  result: { a: { score: 1, score: 2 } }\n"),
        ("app2: {", "app2: { <<: *other,"),
        ("app2: { ssh: isucon@192.168.0.12, ", "app2: { <<: { ssh: a }, "),
        ("version: 1", "version: !!int 1"),
        ("isutools:\n", "---\nisutools:\n"),
        ("bench:\n", "? [a, b]\n: 1\nbench:\n"),
    ]));
}

#[test]
fn broken_yaml() {
    shows!(all(&[
        ("  restart:\n", "\trestart:\n"),
        ("    - { on: app, unit", "  \t  - { on: app, unit"),
        ("on: app, run: \"make\"", "on: app, run: \"make"),
        ("roles: [bench]", "roles: [bench"),
        ("  dir: /home", " dir: /home"),
        ("dir: /home/isucon/webapp", "dir: a: b"),
        ("dir: /home/isucon/webapp", "dir: *nowhere"),
        ("dir: /home/isucon/webapp", "dir: @at"),
    ]));
    shows!("nothing_at_all", [said(""), said("# only a comment\n"), said("- a\n"), said("just text")].join("\n\n"));
    shows!("not_utf8", said(b"version: 1\nhosts:\n  a\xff: {}\n"));
    shows!("too_large", said(vec![b'#'; 1024 * 1024 + 1]));
}

#[test]
fn hosts() {
    shows!(all(&[
        ("ssh: isucon@192.168.0.11", "ssh: -oProxyCommand=id"),
        ("ssh: isucon@192.168.0.11", "ssh: \"isucon@192.168.0.11 id\""),
        ("ssh: isucon@192.168.0.11", "ssh: isucon@192.168.0.11:2222"),
        ("ssh: isucon@192.168.0.11", "ssh: ssh://isucon@192.168.0.11:70000"),
        ("ssh: isucon@192.168.0.11", "ssh: isucon@-x"),
        ("ssh: isucon@192.168.0.11", "ssh: a$(id)"),
        ("ssh: isucon@192.168.0.11, ", ""),
        ("ssh: isucon@192.168.0.11", "ssh: a, local: true"),
        ("ssh: isucon@192.168.0.11", "ssh: a, address: 10.0.0.1:22"),
        ("ssh: isucon@192.168.0.11", "ssh: a, state_dir: state"),
        ("  app2:", "  \"app 2\":"),
        ("roles: [app, nginx]", "roles: [app, \"ng/inx\", app]"),
        ("roles: [app, nginx]", "roles: [app, app2]"),
        ("{ ssh: isucon@192.168.0.11, roles: [app, nginx] }", "{ shs: isucon@192.168.0.11, roles: [app, nginx] }"),
    ]));
    shows!("no_hosts", said("version: 1\nhosts:\nbench: { on: bench, run: x }\n"));
}

#[test]
fn steps() {
    shows!(all(&[
        ("on: app, run: \"make\"", "on: appp, run: \"make\""),
        ("on: app, run: \"make\"", "on: frontend, run: \"make\""),
        ("run: \"make\"", "run: \"\""),
        ("  on: bench", "  on: app"),
        ("on: app1, url", "on: app, url"),
        ("dir: /home/isucon/webapp", "dir: webapp"),
        ("dir: /home/isucon/webapp", "dir: /"),
        ("dir: /home/isucon/webapp", "dir: /home/isucon/webapp\n  shared: [../up, /abs, .]\n  artifacts: [\"\"]"),
        ("  restart:", "  files: [{ on: nginx, from: /etc/nginx, to: etc/nginx }]\n  restart:"),
        ("unit: isuride-go", "unit: isuride-go, run: \"systemctl restart x\""),
        ("unit: isuride-go", "unit: \"isuride go; id\""),
        (", unit: isuride-go", ""),
        ("tcp: \"127.0.0.1:8080\"", "tcp: 8080"),
        ("tcp: \"127.0.0.1:8080\"", "tcp: \"::1:8080\""),
        ("tcp: \"127.0.0.1:8080\"", "http: 127.0.0.1/ping"),
        ("tcp: \"127.0.0.1:8080\"", "http: ftp://127.0.0.1/"),
        ("tcp: \"127.0.0.1:8080\"", "http: http://127.0.0.1/, expect: 20"),
        ("tcp: \"127.0.0.1:8080\"", "tcp: \"127.0.0.1:8080\", expect: 200"),
        ("tcp: \"127.0.0.1:8080\"", "tcp: \"127.0.0.1:8080\", run: x"),
        ("tcp: \"127.0.0.1:8080\", ", ""),
    ]));
}

#[test]
fn the_benchmarker_and_evidence() {
    shows!(all(&[
        ("{{host.app1}}", "{{host.ap1}}"),
        ("{{host.app1}}", "{{host.db}}"),
        ("{{host.app1}}", "{{host.app}}"),
        ("{{port.payment}}", "{{result_fil}}"),
        ("{{port.payment}}", "{{port.pay ment}}"),
        ("{{port.payment}}", "{{nothing}}"),
        ("{{port.payment}}", "{{port.payment"),
        ("  run: \"bench", "  run: |\n    echo {{commit}}\n    echo 日本 {{commmit}} #\"bench"),
        ("  on: bench", "  on: bench\n  dir: here"),
        ("  on: bench", "  on: bench\n  format: isucon41"),
        ("  on: bench", "  on: bench\n  timeout: 0s"),
        ("contest: isucon14", "contest: isucom14"),
        ("contest: isucon14", "contest: my-own"),
        ("version: 1", "version: 2"),
        ("http://127.0.0.1:19191", "http://app1:19191"),
        ("http://127.0.0.1:19191", "https://127.0.0.1:19191"),
        ("http://127.0.0.1:19191", "127.0.0.1:19191"),
        ("data_dir: /home/isucon/isutools-data", "data_dir: isutools-data"),
        (
            "isutools:\n",
            "collect:\n  - { on: db, name: a/b, run: x }\n  - { on: db, name: c, run: x }\n  - { on: db, name: c, run: x }\nisutools:\n"
        ),
        ("isutools:\n", "verdict: { codes: { deny: [34], allow: { 34: 10 } } }\nisutools:\n"),
        ("isutools:\n", "ledger: { branch: \"a..b\", remote: --upload-pack=x }\nisutools:\n"),
    ]));
}

#[test]
fn every_mistake_is_said_at_once_in_the_order_of_the_file() {
    let text = RIGHT
        .replace("version: 1", "version: 3")
        .replace("roles: [bench]", "roles: bench")
        .replace("restart:", "restrat:")
        .replace("within: 30s", "within: 30")
        .replace("  on: bench", "  on: bensh")
        .replace("{{port.payment}}", "{{port.payment");
    shows!(said(text));
}

#[test]
fn what_the_file_holds_can_not_reach_the_terminal_raw() {
    let text = "version: 1\nhosts: {}\n\"\\e]0;x\\a\\u202e\": 1\nbench: { on: \"\\e[31m\", run: \"{{\\e[2J}}\" }\n# \u{1b}[1m\n";
    let raw = with("restart:", "re\u{9b}31mstart:").replace("contest: isucon14", "contest: \"is\\e[31m\u{202e}\"");
    let shown = [said(text), said(raw)].join("\n\n");
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{shown:?}");
    shows!(shown);
}

#[test]
fn mistakes_are_data_too() {
    let error = parse(with("restart:", "restrat:").as_bytes(), "isugate.yml").unwrap_err();
    let [one] = error.diagnostics() else { panic!("{error}") };
    assert_eq!((one.line, one.column, one.width, one.path.as_str()), (11, 3, 7, "deploy.restrat"));
    assert_eq!(one.message, "unknown key `restrat` in deploy");
    assert_eq!(one.help.as_deref(), Some("did you mean `restart`?"));
}

#[test]
fn hundreds_of_mistakes_are_counted_and_the_first_are_shown() {
    let text = format!("{RIGHT}{}", (0..300).map(|i| format!("wrong{i}: 1\n")).collect::<String>());
    let shown = said(text);
    assert!(shown.ends_with("300 mistakes in isugate.yml; 280 more are not shown"), "{shown}");
    assert_eq!(shown.matches("unknown key").count(), 20);
}

#[test]
fn a_mistake_in_the_configuration_ends_with_the_status_of_wrong_usage() {
    let error = anyhow::Error::from(parse(b"x: 1", "isugate.yml").unwrap_err()).context("isugate can't start");
    assert_eq!(u8::from(isugate::exit::of(&error)), 2);
}
