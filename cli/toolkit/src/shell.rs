//! What a shell and `man` can know of a program, made of its options.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;

/// Print a script that lets a shell complete commands and options
///
/// For bash, add the line "source <(PROGRAM completions bash)" to ~/.bashrc. For zsh, write the script to a file _PROGRAM
/// in a folder of $fpath. For fish, write it to ~/.config/fish/completions/PROGRAM.fish. For PowerShell, run the script in
/// $PROFILE.
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script for a program.
    ///
    /// # Errors
    /// Standard output takes nothing.
    pub fn run(&self, mut program: Command) -> Result<()> {
        let name = program.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, &name, &mut script);
        // For bash, clap_complete 4.6 writes a hyphen in the program's name in two ways, which must be one.
        let [wrong, right] = ["__subcmd__", "__"].map(|hyphen| name.replace('-', hyphen));
        let script = String::from_utf8(script)?.replace(&wrong, &right);
        Ok(io::stdout().write_all(script.as_bytes())?)
    }
}

/// Write the manual: a page for "man" about each command
#[derive(Args)]
pub struct Manual {
    /// The folder of the pages. It is made if it is missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl Manual {
    /// Writes the pages of a program.
    ///
    /// # Errors
    /// The folder cannot be made, or a page cannot be written.
    pub fn run(&self, program: Command) -> Result<()> {
        let named = || self.directory.display().to_string();
        fs::create_dir_all(&self.directory).with_context(named)?;
        clap_mangen::generate_to(program, &self.directory).with_context(named)
    }
}
