//! `man`: the manual, made from the same table as the help.

use super::{Exit, terminal};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Write one page for leaseguard and one for each verb into this directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let done = match &args.dir {
        Some(dir) => write_all(dir),
        None => print(),
    };
    if let Err(why) = &done {
        terminal::err(&format!("leaseguard: {why}\n"));
    }
    if done.is_ok() {
        Exit::Ok
    } else {
        Exit::Trouble
    }
}

/// The page of leaseguard itself, which names every verb; the exit codes keep their lines.
fn front() -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(super::tree().after_help(None::<&'static str>)).render(&mut page)?;
    page.extend_from_slice(b".SH \"EXIT STATUS\"\n.nf\n");
    page.extend_from_slice(super::EXITS.as_bytes());
    page.extend_from_slice(b"\n.fi\n");
    Ok(page)
}

fn print() -> Result<(), String> {
    let page = front().map_err(|error| format!("cannot make the manual: {error}"))?;
    if terminal::out(&String::from_utf8_lossy(&page)) {
        Ok(())
    } else {
        Err("cannot print the manual".to_owned())
    }
}

fn write_all(dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(super::tree(), dir))
        .and_then(|()| std::fs::write(dir.join("leaseguard.1"), front()?))
        .map_err(|error| {
            let dir = dir.display();
            format!("cannot write the manual into `{dir}`: {error}; name a directory of your own")
        })
}
