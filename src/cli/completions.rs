//! `isugate completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

/// Arguments of `isugate completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Prints a completion script.
///
/// # Errors
/// None.
pub fn run(args: CompletionsArgs) -> anyhow::Result<u8> {
    clap_complete::generate(args.shell, &mut super::Cli::command(), "isugate", &mut std::io::stdout());
    Ok(0)
}
