//! Arguments in, exit status out.

fn main() -> std::process::ExitCode {
    isugate::cli::main().into()
}
