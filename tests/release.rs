//! What a release is made of, and that the installer puts in place what was checked and nothing else.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a broken test may stop at once"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The target of this machine, as the archives name it.
fn target() -> String {
    let tail = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    format!("{}-{tail}", std::env::consts::ARCH)
}

fn archive() -> String {
    format!("leaseguard-{VERSION}-{}.tar.gz", target())
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("it starts")
}

#[track_caller]
fn must(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

// --- a release with a stub for the binary, and a home to install it into --------------------------

const STUB: &str = concat!(
    "#!/bin/sh\necho 'leaseguard ",
    env!("CARGO_PKG_VERSION"),
    "'\n"
);

struct World {
    dir: TempDir,
}

impl World {
    /// A directory with what a release holds for this machine.
    fn new() -> World {
        World::with(STUB)
    }

    fn with(stub: &str) -> World {
        let world = World {
            dir: tempfile::tempdir().expect("a directory"),
        };
        let name = archive().replace(".tar.gz", "");
        let stage = world.path("stage").join(&name);
        for dir in ["man", "completions"] {
            fs::create_dir_all(stage.join(dir)).unwrap();
        }
        fs::write(stage.join("leaseguard"), stub).unwrap();
        fs::write(stage.join("man/leaseguard.1"), "manual").unwrap();
        fs::write(stage.join("completions/_leaseguard"), "zsh").unwrap();
        for dir in ["release", "home", "temporary"] {
            fs::create_dir(world.path(dir)).unwrap();
        }
        must(
            Command::new("tar")
                .arg("-czf")
                .arg(world.path("release").join(archive()))
                .arg("-C")
                .arg(world.path("stage"))
                .arg(&name),
        );
        world.write_sums();
        // No test builds by mistake.
        with_stub(&world, "cargo", "exit 1");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn archive(&self) -> PathBuf {
        self.path("release").join(archive())
    }

    fn write_sums(&self) {
        let program = found("sha256sum").map_or("shasum -a 256", |_| "sha256sum");
        must(
            Command::new("/bin/sh")
                .arg("-c")
                .arg(format!("{program} {} > SHA256SUMS", archive()))
                .current_dir(self.path("release")),
        );
    }

    fn script(&self, shell: &[&str], args: &[&str]) -> Command {
        let mut command = Command::new(shell[0]);
        command
            .args(&shell[1..])
            .arg(root().join("install/install.sh"))
            .args(args)
            .current_dir(self.dir.path())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("temporary"))
            .env("PATH", with_stubs(self));
        command
    }

    /// Installs from the release directory.
    fn install(&self, args: &[&str]) -> Output {
        let release = self.path("release");
        let mut all = vec!["--from", release.to_str().unwrap()];
        all.extend(args);
        run(&mut self.script(&["/bin/sh"], &all))
    }

    /// A directory for PATH with these programs of this machine alone.
    fn tools(&self, programs: &[&str]) -> PathBuf {
        let dir = self.path("tools");
        fs::create_dir(&dir).unwrap();
        for program in programs {
            symlink(found(program).expect(program), dir.join(program)).unwrap();
        }
        dir
    }

    /// All files and directories below the home and the temporary directory.
    fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        for top in ["home", "temporary"] {
            walk(&self.path(top), &mut left);
        }
        let base = format!("{}/", self.dir.path().display());
        left.iter().map(|path| path.replace(&base, "")).collect()
    }

    fn installed(&self) -> PathBuf {
        self.path("home/.local/bin/leaseguard")
    }
}

fn walk(dir: &Path, into: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        into.push(path.display().to_string());
        if path.is_dir() && !path.is_symlink() {
            walk(&path, into);
        }
    }
}

/// Fails unless the installer ended with `code`, gave this reason and left nothing.
#[track_caller]
fn refused(world: &World, output: &Output, code: i32, reason: &str) {
    let why = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{why}");
    assert!(why.contains(reason), "{why}");
    assert_eq!(world.left(), Vec::<String>::new());
}

/// The programs that the installer needs for a local release.
const TOOLS: &[&str] = &[
    "uname", "mktemp", "dirname", "mkdir", "rmdir", "rm", "cp", "mv", "chmod", "cat", "grep",
    "gzip", "tar",
];

// --- the installer ---------------------------------------------------------------------------------

#[test]
fn every_shell_installs_the_binary_the_manual_and_the_completions() {
    let mut shells = vec![vec!["/bin/sh"]];
    for shell in ["dash", "bash"] {
        shells.extend(found(shell).map(|_| vec![shell]));
    }
    shells.extend(found("busybox").map(|_| vec!["busybox", "sh"]));
    for shell in shells {
        let world = World::new();
        let release = world.path("release");
        let output = run(&mut world.script(&shell, &["--from", release.to_str().unwrap()]));
        let told = text(&output.stdout);
        assert!(output.status.success(), "{shell:?}: {output:?}");
        assert!(told.contains("is not on your PATH"), "{told}");
        assert!(told.ends_with("/leaseguard' install\n"), "{told}");
        let files: Vec<String> = world
            .left()
            .into_iter()
            .filter(|path| world.path(path).is_file())
            .collect();
        assert_eq!(
            files,
            [
                "home/.local/bin/leaseguard",
                "home/.local/share/man/man1/leaseguard.1",
                "home/.local/share/zsh/site-functions/_leaseguard",
            ],
            "{shell:?}"
        );
        assert_eq!(
            must(&mut Command::new(world.installed())),
            format!("leaseguard {VERSION}\n")
        );
    }
}

#[test]
fn a_wrong_sum_is_refused() {
    let world = World::new();
    let sums = world.path("release/SHA256SUMS");
    let first = fs::read_to_string(&sums).unwrap();
    let turned = if first.starts_with('0') { "1" } else { "0" };
    fs::write(&sums, format!("{turned}{}", &first[1..])).unwrap();
    refused(
        &world,
        &world.install(&[]),
        1,
        "damaged or not the released one",
    );
}

#[test]
fn a_sum_that_is_not_named_once_is_refused() {
    let world = World::new();
    let sums = world.path("release/SHA256SUMS");
    let first = fs::read_to_string(&sums).unwrap();
    let short = format!("{}  {}\n", &first[..63], archive());
    let other = first.replace(&archive(), "leaseguard-0.0.0-other.tar.gz");
    for wrong in [
        "",
        &other,
        &short,
        &format!("{first}{first}"),
        &first.to_uppercase(),
    ] {
        fs::write(&sums, wrong).unwrap();
        refused(
            &world,
            &world.install(&[]),
            1,
            "SHA256SUMS does not name one sum",
        );
    }
}

#[test]
fn a_release_without_sums_is_refused() {
    let world = World::new();
    fs::remove_file(world.path("release/SHA256SUMS")).unwrap();
    refused(&world, &world.install(&[]), 1, "there is no SHA256SUMS at");
}

#[test]
fn a_truncated_archive_is_refused() {
    let world = World::new();
    let whole = fs::read(world.archive()).unwrap();
    fs::write(world.archive(), &whole[..whole.len() / 2]).unwrap();
    refused(
        &world,
        &world.install(&[]),
        1,
        "damaged or not the released one",
    );
    // With a sum of its own it still cannot be unpacked.
    world.write_sums();
    refused(&world, &world.install(&[]), 2, "cannot be unpacked");
}

#[test]
fn a_machine_that_cannot_check_is_refused() {
    let world = World::new();
    let tools = world.tools(TOOLS);
    let release = world.path("release");
    let args = ["--from", release.to_str().unwrap()];
    let output = run(world.script(&["/bin/sh"], &args).env("PATH", &tools));
    refused(
        &world,
        &output,
        1,
        "neither `sha256sum` nor `shasum` is here",
    );
    let sums = if found("sha256sum").is_some() {
        "sha256sum"
    } else {
        "shasum"
    };
    symlink(found(sums).unwrap(), tools.join(sums)).unwrap();
    let output = run(world.script(&["/bin/sh"], &args).env("PATH", &tools));
    assert!(output.status.success(), "{output:?}");
}

/// Copies by another process: a file that this one has just written may still be open in a process
/// that another test starts, and then it cannot be run.
fn copy(from: &Path, to: &Path) {
    must(Command::new("cp").arg("-p").arg(from).arg(to));
}

/// Writes a program.
fn write_program(file: &Path, body: &str) {
    let draft = file.with_extension("draft");
    fs::write(&draft, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
    copy(&draft, file);
}

/// Puts a program of our own in front of the PATH.
fn with_stub(world: &World, name: &str, body: &str) -> std::ffi::OsString {
    let dir = world.path("stubs");
    fs::create_dir_all(&dir).unwrap();
    write_program(&dir.join(name), body);
    with_stubs(world)
}

fn with_stubs(world: &World) -> std::ffi::OsString {
    let mut path = vec![world.path("stubs")];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    std::env::join_paths(path).unwrap()
}

#[test]
fn an_unknown_system_is_told_how_to_build() {
    let world = World::new();
    let path = with_stub(&world, "uname", "echo plan9");
    let release = world.path("release");
    let args = ["--from", release.to_str().unwrap()];
    let output = run(world.script(&["/bin/sh"], &args).env("PATH", path));
    refused(
        &world,
        &output,
        2,
        "no archive is made for plan9 on plan9: --build",
    );
}

#[test]
fn each_known_system_gets_its_archive() {
    for (system, machine, target) in [
        ("Linux", "x86_64", "x86_64-unknown-linux-gnu"),
        ("Linux", "aarch64", "aarch64-unknown-linux-gnu"),
        ("Darwin", "x86_64", "x86_64-apple-darwin"),
        ("Darwin", "arm64", "aarch64-apple-darwin"),
    ] {
        let world = World::new();
        let body = format!("[ \"$1\" = -s ] && echo {system} || echo {machine}");
        let path = with_stub(&world, "uname", &body);
        with_stub(&world, "sysctl", "exit 1");
        let told = must(world.script(&["/bin/sh"], &["--dry-run"]).env("PATH", path));
        let want = format!("/releases/download/v{VERSION}/leaseguard-{VERSION}-{target}.tar.gz");
        assert!(told.contains(&want), "{told}");
        assert_eq!(world.left(), Vec::<String>::new());
    }
}

#[test]
fn without_an_archive_cargo_builds_the_checkout_of_the_script() {
    let world = World::new();
    with_stub(&world, "uname", "echo plan9");
    let path = with_stub(
        &world,
        "cargo",
        "printf '%s\\n' \"$@\" >\"$HOME/../cargo\"; while [ \"$1\" != --root ]; do shift; done
mkdir -p \"$2/bin\" && cp \"$HOME/../stage/\"*/leaseguard \"$2/bin/\" && chmod 755 \"$2/bin/leaseguard\"",
    );
    let told = must(world.script(&["/bin/sh"], &[]).env("PATH", path));
    assert!(
        told.contains("no archive is made for plan9 on plan9: building with cargo"),
        "{told}"
    );
    let args = fs::read_to_string(world.path("cargo")).unwrap();
    let checkout = fs::canonicalize(root()).unwrap();
    assert!(args.starts_with("install\n--locked\n--root\n"), "{args}");
    assert!(
        args.ends_with(&format!("--path\n{}\n", checkout.display())),
        "{args}"
    );
    assert!(world.installed().is_file());
}

#[test]
fn a_prefix_with_blanks_is_taken_as_it_is() {
    let world = World::new();
    let prefix = world.path("home/a b/it's $HOME");
    let output = world.install(&["--prefix", prefix.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(prefix.join("bin/leaseguard").is_file());
    assert!(prefix.join("share/man/man1/leaseguard.1").is_file());
    assert!(!world.path("home/.local").exists());
}

#[test]
fn a_running_binary_is_replaced_in_one_step() {
    let world = World::new();
    fs::create_dir_all(world.installed().parent().unwrap()).unwrap();
    copy(&found("sh").unwrap(), &world.installed());
    // It runs until its input ends.
    let mut old = Command::new(world.installed())
        .args(["-c", "read line; exit 7"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the old binary starts");
    let output = world.install(&[]);
    assert!(output.status.success(), "{output:?}");
    drop(old.stdin.take());
    assert_eq!(old.wait().unwrap().code(), Some(7));
    assert_eq!(fs::read_to_string(world.installed()).unwrap(), STUB);
}

#[test]
fn a_binary_that_does_not_run_replaces_nothing() {
    for (stub, reason) in [
        ("#!/bin/sh\nexit 1\n", "does not run on this system"),
        (
            "#!/bin/sh\necho leaseguard 9.9.9\n",
            "says `leaseguard 9.9.9`",
        ),
    ] {
        let world = World::with(stub);
        refused(&world, &world.install(&[]), 2, reason);
        fs::create_dir_all(world.installed().parent().unwrap()).unwrap();
        fs::write(world.installed(), "old").unwrap();
        assert_eq!(world.install(&[]).status.code(), Some(2));
        assert_eq!(fs::read_to_string(world.installed()).unwrap(), "old");
        let bin = world.installed().parent().unwrap().to_owned();
        assert_eq!(fs::read_dir(bin).unwrap().count(), 1);
    }
}

#[test]
fn a_prefix_that_cannot_be_written_is_trouble() {
    let world = World::new();
    let file = world.path("file");
    fs::write(&file, "").unwrap();
    let mut prefixes = vec![file];
    if cfg!(target_os = "linux") {
        // Read-only for root too.
        prefixes.push(PathBuf::from("/proc/leaseguard"));
    }
    for prefix in prefixes {
        let output = world.install(&["--prefix", prefix.to_str().unwrap()]);
        refused(&world, &output, 2, "choose another place with --prefix");
    }
}

#[test]
fn a_dry_run_does_nothing() {
    let world = World::new();
    let output = world.install(&["--dry-run"]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains(&archive()));
    assert_eq!(world.left(), Vec::<String>::new());
}

#[test]
fn wrong_use_of_the_installer_is_trouble() {
    let world = World::new();
    for (args, reason) in [
        (vec!["--nonsense"], "`--nonsense` is no option"),
        (vec!["--prefix"], "`--prefix` wants a value"),
        (vec!["--version", "../1"], "`../1` is no version"),
        (vec!["--from", "http://example.org"], "is not https"),
        (vec!["--from", "nowhere"], "there is no directory `nowhere`"),
    ] {
        let output = run(&mut world.script(&["/bin/sh"], &args));
        refused(&world, &output, 2, reason);
    }
}

#[test]
fn half_a_script_does_nothing() {
    let world = World::new();
    let whole = read("install/install.sh");
    let cut = whole.rfind("main \"$@\"").expect("the last line");
    let release = world.path("release");
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            &whole[..cut],
            "sh",
            "--from",
            release.to_str().unwrap(),
        ])
        .env("HOME", world.path("home"))
        .env("TMPDIR", world.path("temporary"));
    must(&mut command);
    assert_eq!(world.left(), Vec::<String>::new());
}

// --- the archive -----------------------------------------------------------------------------------

fn package(world: &World, out: &Path, epoch: &str) -> Vec<u8> {
    // The whole binary of the tests would take long to pack.
    let small = world.path("leaseguard");
    if !small.exists() {
        write_program(&small, &format!("exec '{BINARY}' \"$@\""));
    }
    must(
        Command::new("/bin/sh")
            .arg(root().join("install/package.sh"))
            .args(["--target", &target(), "--binary"])
            .arg(&small)
            .arg("--out")
            .arg(out)
            .env("SOURCE_DATE_EPOCH", epoch),
    );
    fs::read(out.join(archive())).unwrap()
}

#[test]
fn the_same_input_makes_the_same_archive_and_it_installs() {
    let world = World::new();
    let (one, two) = (world.path("one"), world.path("two"));
    let first = package(&world, &one, "1700000000");
    assert!(
        first == package(&world, &two, "1700000000"),
        "two archives differ"
    );
    assert!(
        first != package(&world, &two, "1800000000"),
        "the time is not in it"
    );
    let from = ["--from", one.to_str().unwrap()];
    must(&mut world.script(&["/bin/sh"], &from));
    let told = must(Command::new(world.installed()).arg("--version"));
    assert!(told.starts_with(&format!("leaseguard {VERSION}")), "{told}");
    for file in [
        "man/man1/leaseguard.1",
        "man/man1/leaseguard-check.1",
        "bash-completion/completions/leaseguard",
        "zsh/site-functions/_leaseguard",
        "fish/vendor_completions.d/leaseguard.fish",
    ] {
        assert!(
            world.path("home/.local/share").join(file).is_file(),
            "{file}"
        );
    }
    let listed = must(Command::new("tar").arg("-tzf").arg(one.join(archive())));
    let top = archive().replace(".tar.gz", "");
    for file in ["leaseguard", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let line = format!("{top}/{file}\n");
        assert!(
            listed.contains(&line),
            "{file} is not in the archive: {listed}"
        );
    }
}

// --- one version, one place, one set of names ------------------------------------------------------

#[test]
fn both_scripts_and_the_package_name_the_same_place_and_version() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    let place = manifest["package"]["repository"].as_str().unwrap();
    let sh = read("install/install.sh");
    assert!(sh.contains(&format!("\nREPOSITORY='{place}'\nVERSION='{VERSION}'\n")));
    let ps1 = read("install/install.ps1");
    assert!(ps1.contains(&format!("$Repository = '{place}'")));
    assert!(ps1.contains(&format!("$Version = '{VERSION}'")));
}

#[test]
fn binstall_looks_for_the_archives_that_are_made() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    let package = manifest["package"].as_table().unwrap();
    let data = package["metadata"]["binstall"].as_table().unwrap();
    let filled = |template: &str, target: &str, suffix: &str, exe: &str| {
        template
            .replace("{ repo }", package["repository"].as_str().unwrap())
            .replace("{ name }", "leaseguard")
            .replace("{ bin }", "leaseguard")
            .replace("{ version }", VERSION)
            .replace("{ target }", target)
            .replace("{ archive-suffix }", suffix)
            .replace("{ binary-ext }", exe)
    };
    let get = |key: &str| data[key].as_str().unwrap();
    let place = package["repository"].as_str().unwrap();
    let target = target();
    assert_eq!(
        filled(get("pkg-url"), &target, ".tar.gz", ""),
        format!("{place}/releases/download/v{VERSION}/{}", archive())
    );
    assert_eq!(get("pkg-fmt"), "tgz");
    assert_eq!(
        filled(get("bin-dir"), &target, ".tar.gz", ""),
        format!("leaseguard-{VERSION}-{target}/leaseguard")
    );
    let windows = &data["overrides"]["cfg(windows)"];
    assert_eq!(windows["pkg-fmt"].as_str(), Some("zip"));
}

#[test]
fn the_workflow_builds_every_archive_that_an_installer_asks_for() {
    let workflow = read(".github/workflows/release.yml");
    for target in [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
        "aarch64-pc-windows-msvc",
    ] {
        assert!(
            workflow.contains(&format!("target: {target}\n")),
            "{target}"
        );
    }
    for line in workflow.lines().filter(|line| line.contains("uses:")) {
        let pin = line.split('@').nth(1).unwrap_or_default();
        let hash = pin.split(' ').next().unwrap_or_default();
        let whole = hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(whole, "not pinned by a commit: {line}");
    }
}

// --- completions and the manual --------------------------------------------------------------------

/// The verbs that `--help` lists.
fn verbs() -> Vec<String> {
    let help = must(Command::new(BINARY).arg("--help"));
    let (_, list) = help.split_once("Commands:\n").expect("a list of verbs");
    list.lines()
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

/// Whether `word` stands in `text` by itself.
fn names(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.split(|c| !part(c)).any(|each| each == word)
}

#[test]
fn every_completion_names_every_verb() {
    let verbs = verbs();
    assert!(
        verbs.len() > 10 && verbs.contains(&"check".to_owned()),
        "{verbs:?}"
    );
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = must(Command::new(BINARY).args(["completions", shell]));
        for verb in &verbs {
            assert!(names(&text, verb), "{shell}: {verb}");
        }
        assert!(!names(&text, "no-such-verb"));
    }
}

#[test]
fn bash_completes_a_verb_and_an_option() {
    let script = must(Command::new(BINARY).args(["completions", "bash"]));
    for (words, want) in [
        ("leaseguard ch", "check"),
        ("leaseguard check --js", "--json"),
    ] {
        let ask = format!(
            "{script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_leaseguard leaseguard \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"
printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        assert_eq!(
            must(Command::new("bash").args(["-c", &ask])),
            format!("{want}\n")
        );
    }
}

#[test]
fn the_manual_names_every_verb_and_has_a_page_for_each() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/man1");
    must(Command::new(BINARY).args(["man", "--dir"]).arg(&out));
    let front = must(Command::new(BINARY).arg("man"));
    assert_eq!(front, fs::read_to_string(out.join("leaseguard.1")).unwrap());
    for verb in verbs() {
        let name = format!("leaseguard\\-{}(1)", verb.replace('-', "\\-"));
        assert!(front.contains(&name), "{verb}");
        let page = fs::read_to_string(out.join(format!("leaseguard-{verb}.1"))).expect(&verb);
        let sections: Vec<&str> = page.lines().filter(|l| l.starts_with(".SH")).collect();
        assert!(page.contains("\n.TH "), "{verb}");
        assert_eq!(sections[..2], [".SH NAME", ".SH SYNOPSIS"], "{verb}");
    }
}

#[test]
fn the_manual_renders_without_a_complaint() {
    // groff is what `man` runs; a machine without it has the test above.
    if found("groff").is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    must(Command::new(BINARY).args(["man", "--dir"]).arg(dir.path()));
    let page = dir.path().join("leaseguard.1");
    let output = run(Command::new("groff")
        .args(["-man", "-Tutf8", "-ww"])
        .arg(page));
    assert_eq!(text(&output.stderr), "");
    let told = text(&output.stdout);
    assert!(told.contains("exit codes of every verb"), "{told}");
    assert!(!told.contains("EXTRA"), "{told}");
}

#[test]
fn a_manual_that_cannot_be_written_is_trouble() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let output = run(Command::new(BINARY).args(["man", "--dir"]).arg(&file));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot write the manual into"));
}
