//! Remote commands as values. What will run can be looked at, tested and printed without running it, and everything that
//! reaches a shell passes the one quoting function of this file.

const TETHER: &str = include_str!("scripts/tether.sh");

/// A command for a host, before it is run anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cmd {
    argv: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Option<String>,
    stdin: Vec<u8>,
    root: bool,
    tethered: bool,
}

impl Cmd {
    /// A program by name or path.
    pub fn new(program: impl Into<String>) -> Self {
        Cmd { argv: vec![program.into()], env: Vec::new(), cwd: None, stdin: Vec::new(), root: false, tethered: false }
    }

    /// A script of our own, given to `bash -c`; its arguments arrive as `$1`, `$2`, … and are never parsed by the shell.
    pub fn script<I, S>(script: &str, args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        Cmd::new("bash").arg("-c").arg(script).arg("isugate").args(args)
    }

    /// A command line that the user wrote in `isugate.yml`: it is meant for a shell and given to `bash -c` whole.
    pub fn line(line: &str) -> Self {
        Cmd::new("bash").arg("-c").arg(line)
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.argv.push(arg.into());
        self
    }

    /// More arguments.
    pub fn args<I, S>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.argv.extend(args.into_iter().map(Into::into));
        self
    }

    /// An environment variable for it.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The directory to run it in.
    pub fn cwd(mut self, dir: impl Into<String>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// What it reads from standard input; nothing by default.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// It needs root: run through `sudo -n` by any other user.
    pub fn as_root(mut self, root: bool) -> Self {
        self.root = root;
        self
    }

    /// The same command, ended with its whole process group on the host when nobody waits for it any more: when the future
    /// that runs it is dropped, we are killed, or the connection breaks. It reads nothing.
    pub fn tethered(self) -> Self {
        Cmd { tethered: true, ..Cmd::script(TETHER, [self.to_shell()]) }
    }

    /// Whether its standard input stays open until it has ended.
    pub fn is_tethered(&self) -> bool {
        self.tethered
    }

    /// What it reads from standard input.
    pub fn input(&self) -> &[u8] {
        &self.stdin
    }

    /// The command as one line for a POSIX shell.
    pub fn to_shell(&self) -> String {
        let mut line = String::new();
        if let Some(dir) = &self.cwd {
            line.push_str("cd ");
            line.push_str(&quote(dir));
            line.push_str(" && ");
        }
        if self.root {
            // `sudo` is not on every host where one is root anyway.
            line.push_str("if [ \"$(id -u)\" = 0 ]; then set --; else set -- sudo -n; fi && ");
        }
        line.push_str("exec ");
        if self.root {
            line.push_str("\"$@\" ");
        }
        if self.root || !self.env.is_empty() {
            line.push_str("env ");
            for (name, value) in &self.env {
                line.push_str(&quote(&format!("{name}={value}")));
                line.push(' ');
            }
        }
        line.push_str(&self.argv.iter().map(|arg| quote(arg)).collect::<Vec<_>>().join(" "));
        line
    }
}

/// Quotes one word for a POSIX shell: the shell sees exactly these bytes. A NUL cannot be in an argument at all and is
/// dropped.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('\'');
    for c in word.chars() {
        match c {
            '\'' => quoted.push_str("'\\''"),
            '\0' => {}
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sh(line: &str) -> String {
        let output = std::process::Command::new("sh").arg("-c").arg(line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_command_runs_where_and_with_what_it_was_told() {
        let cmd =
            Cmd::new("sh").args(["-c", "printf '%s|%s|%s' \"$PWD\" \"$V\" \"$0\"", "a b"]).env("V", "$x'y").cwd("/");
        assert_eq!(sh(&cmd.to_shell()), "/|$x'y|a b");
    }

    #[test]
    fn a_script_gets_its_arguments_unparsed() {
        let cmd = Cmd::script("printf '%s\\n' \"$@\"", ["$(id)", "`id`", "; id", "-n", ""]);
        assert_eq!(sh(&cmd.to_shell()), "$(id)\n`id`\n; id\n-n\n\n");
    }

    #[test]
    fn root_is_asked_for_only_by_others() {
        let line = Cmd::new("true").as_root(true).to_shell();
        assert!(line.contains("sudo -n"), "{line}");
        if rustix::process::geteuid().is_root() {
            sh(&line);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_quoted_word_reaches_the_program_as_it_is(words in proptest::collection::vec("[^\0]{0,20}", 1..20)) {
            let cmd = Cmd::new("printf").arg("%s\\0").args(words.clone());
            prop_assert_eq!(sh(&cmd.to_shell()), words.iter().map(|w| format!("{w}\0")).collect::<String>());
        }
    }
}
