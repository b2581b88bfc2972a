//! `hexphase completions` and `hexphase man`: files for shells and for `man`.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::output;

#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
    /// Write to a file; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const COMPLETIONS: &str = "\
Examples:
  hexphase completions bash > /etc/bash_completion.d/hexphase
  hexphase completions fish > ~/.config/fish/completions/hexphase.fish
  hexphase completions zsh --output _hexphase";

#[derive(Args, Debug)]
#[command(after_help = MAN)]
pub(crate) struct Man {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

const MAN: &str = "\
Writes hexphase.1, and a page for each command such as hexphase-pairs.1.

Examples:
  hexphase man ~/.local/share/man/man1
  hexphase man pages";

pub(crate) fn completions(arguments: &Completions) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "hexphase", &mut script);
    output::write(arguments.output.as_deref(), &mut |out| out.write_all(&script))
}

pub(crate) fn man(arguments: &Man) -> Result<(), Error> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder).map_err(|error| Error::system(folder.display(), &error))?;
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    for command in [&program].into_iter().chain(program.get_subcommands()) {
        let page = clap_mangen::Man::new(command.clone());
        output::write(Some(&folder.join(page.get_filename())), &mut |out| page.render(out))?;
    }
    Ok(())
}
