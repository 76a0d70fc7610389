//! Loads a policy some times, for callgrind.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::indexing_slicing)]
use leaseguard::policy::{Places, Policy};
use leaseguard::rules::KNOWN;
use std::path::Path;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[1].parse().unwrap();
    let user = Path::new(&args[2]);
    let repo = Path::new("/tmp/pc/repo");
    let project = Path::new("/tmp/pc/repo/leaseguard.toml");
    let places = Places { user_file: Some(user), project_file: Some(project), managed_file: Some(Path::new(Places::MANAGED)), state_dir: Some(Path::new("/tmp/pc/state")), repo_path: Some(repo), ..Places::none(&KNOWN) };
    let mut t = 0;
    for _ in 0..n { let p = Policy::load(&places); t += p.troubles.len() + p.base_branches.len(); if n == 1 { println!("{:?}", p.troubles); } }
    println!("{t}");
}
