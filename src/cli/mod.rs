//! What the user types: one file a command, each thin.

mod bench;
pub mod chart;
mod check;
mod ci;
mod completions;
pub mod decide;
mod deploy;
pub mod history;
mod judge;
mod lease;
mod parse;
mod publish;
mod record;
mod runner;
mod schema;
pub mod show;
mod simulate;
mod start;
mod stdout;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::exit;

/// Deploys a commit, runs the official benchmarker, reads its result strictly, and says accept or revert.
#[derive(Debug, Parser)]
#[command(name = "isugate", version, max_term_width = 100)]
pub struct Cli {
    /// The configuration; its directory's repository is the one that is deployed.
    #[arg(long, short = 'c', global = true, default_value = "isugate.yml", env = "ISUGATE_CONFIG")]
    config: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The whole way of a run: deploy, benchmark, evidence, verdict.
    Bench(bench::BenchArgs),
    /// Compares two commits, run after run in turn, until the test decides.
    Ab(bench::AbArgs),
    /// Finishes a run whose isugate was killed.
    Resume(bench::ResumeArgs),
    /// Records a run that was started by hand in the contest's portal.
    Record(record::RecordArgs),
    /// Everything that can be known before a run.
    Check(check::CheckArgs),
    /// Puts a commit onto the hosts, without a benchmark.
    Deploy(deploy::DeployArgs),
    /// Puts the last accepted commit back.
    Rollback(deploy::RollbackArgs),
    /// Reads a benchmarker's output and prints the result.
    Parse(parse::ParseArgs),
    /// A verdict over recorded runs; no host is touched.
    Judge(judge::JudgeArgs),
    /// How often the gate would be wrong, on given noise.
    Simulate(simulate::SimulateArgs),
    /// The runs of the ledger.
    History(history::Args),
    /// One run in detail.
    Show(show::Args),
    /// A person's decision: this run is accepted.
    Accept(decide::Args),
    /// A person's decision: this run is reverted.
    Revert(decide::Args),
    /// The scores as a picture (SVG).
    Chart(chart::Args),
    /// Who holds the hosts; takes nothing.
    Lease(lease::LeaseArgs),
    /// What a GitHub workflow runs: reads the event, benchmarks, writes comment and check.
    Ci(ci::CiArgs),
    /// Sends what GitHub has not taken yet.
    Publish(publish::PublishArgs),
    /// A self-hosted runner on one of the hosts.
    Runner(runner::RunnerArgs),
    /// A JSON Schema of isugate.yml, for editors.
    Schema,
    /// Completions for a shell.
    Completions(completions::CompletionsArgs),
}

/// Reads the arguments, runs the command, prints what went wrong; returns the exit status.
pub fn main() -> u8 {
    if let Some(answer) = crate::github::token::answer_git() {
        println!("{answer}");
        return exit::Exit::Done.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no mistakes.
            let status = if error.use_stderr() { exit::Exit::Usage } else { exit::Exit::Done };
            let _ = error.print();
            return status.into();
        }
    };
    match run(cli) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("{}", shown(&format!("isugate: {error:#}")));
            exit::of(&error).into()
        }
    }
}

/// An error holds words of hosts and programs: they must be no workflow commands where those are obeyed.
fn shown(error: &str) -> String {
    use crate::text;
    match std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        true => error.lines().map(text::workflow_line).collect::<Vec<_>>().join("\n"),
        false => text::terminal(error),
    }
}

fn run(cli: Cli) -> anyhow::Result<u8> {
    let Cli { config, command } = cli;
    match command {
        Command::Bench(args) => bench::run(args, &config),
        Command::Ab(args) => bench::ab(args, &config),
        Command::Resume(args) => bench::resume(args, &config),
        Command::Record(args) => record::run(args, &config),
        Command::Check(args) => check::run(args, &config),
        Command::Deploy(args) => deploy::deploy(args, &config),
        Command::Rollback(args) => deploy::rollback(args, &config),
        // What goes wrong there is in what was typed: the output itself is never an error.
        Command::Parse(args) => parse::run(args).map_err(|e| {
            let failure = exit::Failure { exit: exit::Exit::Usage, message: format!("{e:#}"), next: None };
            anyhow::Error::from(failure)
        }),
        Command::Judge(args) => judge::run(args),
        Command::Simulate(args) if args.from_ledger => {
            start::with_ledger(&config, |root, config| simulate::run(args, &crate::run::newest_series(root, config)?))
        }
        Command::Simulate(args) => simulate::run(args, &[]),
        Command::History(args) => start::with_ledger(&config, |root, config| history::run(&args, root, config)),
        Command::Show(args) => start::with_ledger(&config, |root, config| show::run(&args, root, config)),
        Command::Accept(args) => start::with_ledger(&config, |root, config| decide::accept(&args, root, config)),
        Command::Revert(args) => start::with_ledger(&config, |root, config| decide::revert(&args, root, config)),
        Command::Chart(args) => start::with_ledger(&config, |root, config| chart::run(&args, root, config)),
        Command::Lease(args) => lease::run(args, &config),
        Command::Ci(args) => ci::run(&args, &config),
        Command::Publish(args) => publish::run(&args, &config),
        Command::Runner(args) => runner::run(&args, &config),
        Command::Schema => schema::run(),
        Command::Completions(args) => completions::run(args),
    }
}
