//! Ports that the benchmarker is to open: proven to be its own.

use anyhow::Result;

use super::field::{BENCH, Field};

const LISTEN: &str = r#"perl -MIO::Socket::INET -e '
  my $port = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die; sleep 5' "$2" &"#;

fn with_port() -> Result<Field> {
    let mut field = Field::new()?;
    field.configure("/run'\"\n  timeout", "/run' {{port.payment}}\"\n  timeout")?;
    Ok(field)
}

fn script(listen: &str, pause: &str) -> String {
    format!("{listen}\nPAUSE={pause}\n{BENCH}")
}

#[test]
fn a_port_that_the_benchmarker_opens_is_right() -> Result<()> {
    let field = with_port()?;
    field.bench_script(&script(LISTEN, "2"))?;
    field.isugate(&["bench"])?.exits(0).hides(&["held by", "not seen to open"]);
    let port = field.record()?["bench"]["ports"]["payment"].as_u64();
    assert!(port.is_some_and(|port| (20_000..32_768).contains(&port)), "{port:?}");
    field.tidy()
}

#[test]
fn a_port_that_someone_else_holds_makes_the_run_invalid() -> Result<()> {
    let field = with_port()?;
    // Out of the benchmarker's process group, as a program of somebody else is.
    field.bench_script(&script(&format!("setsid {LISTEN}"), "2"))?;
    let run = field.isugate(&["bench"])?.exits(12);
    let port = field.record()?["bench"]["ports"]["payment"].clone();
    run.says(&["bench: port", &port.to_string(), "(payment) is held by process", "(perl)"]);
    assert_eq!(field.verdicts()?, ["invalid"]);
    Ok(())
}

#[test]
fn a_port_that_is_never_opened_is_a_warning_and_costs_no_time() -> Result<()> {
    let field = with_port()?;
    field.bench_script(&script("", "0.1"))?;
    field.isugate(&["bench"])?.exits(0).says(&["was not seen to open port", "(payment)"]);
    let stages = field.record()?["stages"].clone();
    assert!(stages["bench"].as_f64().is_some_and(|seconds| seconds < 3.5), "{stages}");
    field.tidy()
}
