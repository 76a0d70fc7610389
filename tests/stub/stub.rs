//! A program that notes how it was called, and then does a little of what its name promises.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt;
use std::process::Command;

fn main() {
    let args: Vec<String> = std::env::args_os()
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let program = args.first().cloned().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default().to_string();
    if let Some(log) = std::env::var_os("ORACLE_LOG") {
        let mut line = String::from("[");
        for (i, arg) in args.iter().enumerate() {
            let arg = if i == 0 { &name } else { arg };
            line.push_str(if i == 0 { "\"" } else { ",\"" });
            for c in arg.chars() {
                match c {
                    '"' | '\\' => {
                        line.push('\\');
                        line.push(c);
                    }
                    c if (c as u32) < 32 || c == '\u{7f}' => {
                        let _ = write!(line, "\\u{:04x}", c as u32);
                    }
                    c => line.push(c),
                }
            }
            line.push('"');
        }
        line.push_str("]\n");
        if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(log) {
            let _ = file.write_all(line.as_bytes());
        }
    }
    match name.as_str() {
        "cat" | "tee" => {
            let mut any = false;
            let mut out = io::stdout().lock();
            for path in args.iter().skip(1).filter(|a| !a.starts_with('-')) {
                if let Ok(mut file) = File::open(path) {
                    any = true;
                    let _ = io::copy(&mut file, &mut out);
                }
            }
            if !any {
                let _ = io::copy(&mut io::stdin().lock(), &mut out);
            }
        }
        "bash" | "sh" => become_real("/bin/bash", &program, &args),
        "env" | "xargs" | "timeout" | "nohup" | "nice" | "setsid" => {
            become_real(&format!("/usr/bin/{name}"), &program, &args);
        }
        _ => {}
    }
}

fn become_real(real: &str, program: &str, args: &[String]) {
    let _ = Command::new(real).arg0(program).args(args.iter().skip(1)).exec();
    std::process::exit(127);
}
