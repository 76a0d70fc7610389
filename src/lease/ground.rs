//! Where claims and checkouts may lie: not on network file systems, not in folders that are kept in
//! step with other machines (R52).

use super::error::{Code, Refusal};
use std::path::{Component, Path};

/// What is allowed although it is refused by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Network file systems.
    pub network: bool,
    /// Folders in step with other machines.
    pub sync: bool,
}

/// Refuses a place where locks or files are not what they seem. `path` need not exist.
pub fn check(path: &Path, allowed: &Allowed) -> Result<(), Refusal> {
    let there = path.ancestors().find(|p| p.exists()).unwrap_or(path);
    let real = std::fs::canonicalize(there).unwrap_or_else(|_| there.to_owned());
    if !allowed.network
        && let Some(kind) = network(&real)
    {
        return Err(Refusal::new(
            Code::NetworkFs,
            format!(
                "`{}` is on {kind}, where locks and renames cannot be trusted: use a local disk, or let a person set `lease.network_fs = \"allow\"` in a policy",
                path.display()
            ),
        ));
    }
    if !allowed.sync
        && let Some(mark) = synced(&real)
    {
        return Err(Refusal::new(
            Code::SyncFolder,
            format!(
                "`{}` is in a folder that is kept in step with other machines ({mark}): use another folder, or let a person set `lease.sync_folders = \"allow\"` in a policy",
                path.display()
            ),
        ));
    }
    Ok(())
}

/// Files that the programs put into their folders.
const MARKS: &[(&str, &str)] = &[
    (".stfolder", "Syncthing"),
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".owncloudsync.log", "ownCloud"),
    (".nextcloudsync.log", "Nextcloud"),
    (".SyncID", "Resilio Sync"),
    (".849C9593-D756-4E56-8D6E-42412F2A707B", "OneDrive"),
];

/// Folders that the programs always call so, at their start.
const FOLDERS: &[(&str, &str)] = &[
    ("OneDrive", "OneDrive"),
    ("Dropbox", "Dropbox"),
    ("CloudStorage", "a cloud folder of macOS"),
    ("Mobile Documents", "iCloud Drive"),
    ("iCloudDrive", "iCloud Drive"),
    ("Google Drive", "Google Drive"),
];

/// The program that keeps `path` in step, if one is known to.
fn synced(path: &Path) -> Option<&'static str> {
    for at in path.ancestors() {
        if let Some(Component::Normal(name)) = at.components().next_back()
            && let Some(found) = by_name(&name.to_string_lossy())
        {
            return Some(found);
        }
        let mark = |(file, _): &&(&str, &'static str)| at.join(file).symlink_metadata().is_ok();
        // Dropbox's own settings lie in the home under the same name.
        let home = at.join(".bashrc").exists() || at.join(".profile").exists();
        if let Some((_, program)) = MARKS.iter().find(mark).filter(|_| !home) {
            return Some(program);
        }
    }
    None
}

fn by_name(name: &str) -> Option<&'static str> {
    let named = |folder: &str| {
        name.strip_prefix(folder).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(" - ") || rest.starts_with(" (")
        })
    };
    let found = FOLDERS.iter().find(|(folder, _)| named(folder));
    found.map(|(_, program)| *program)
}

/// Types of network file systems: `statfs(2)`'s number, and what people call it.
#[cfg(target_os = "linux")]
const TYPES: &[(u32, &str)] = &[
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFF53_4D42, "SMB (CIFS)"),
    (0xFE53_4D42, "SMB"),
    (0x0102_1997, "9P"),
    (0x00C3_6400, "Ceph"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x4750_4653, "GPFS"),
    (0x0BD0_0BD0, "Lustre"),
    (0x7375_7245, "Coda"),
    (0x564C, "NCP"),
];

#[cfg(target_os = "linux")]
const FUSE: u32 = 0x6573_5546;

/// File systems in user space that lie on a local disk.
#[cfg(target_os = "linux")]
const LOCAL_FUSE: &[&str] = &[
    "fuseblk",
    "fuse.fuse-overlayfs",
    "fuse.gocryptfs",
    "fuse.encfs",
    "fuse.cryfs",
    "fuse.bindfs",
    "fuse.ntfs-3g",
    "fuse.ext4",
];

/// The network file system that `path`, which exists, lies on.
#[cfg(target_os = "linux")]
fn network(path: &Path) -> Option<String> {
    // Where the system does not say, the lock itself is tried before it is trusted.
    let kind = rustix::fs::statfs(path).ok()?.f_type;
    // The field is signed on some machines; the numbers have 32 bits.
    let kind = (kind & 0xFFFF_FFFF) as u32;
    if let Some((_, name)) = TYPES.iter().find(|(number, _)| *number == kind) {
        return Some((*name).to_owned());
    }
    if kind != FUSE {
        return None;
    }
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    match mounted(&mounts, path) {
        Some(name) if LOCAL_FUSE.contains(&name.as_str()) => None,
        Some(name) => Some(format!("`{name}`")),
        None => Some("a file system of a program".to_owned()),
    }
}

/// The type of the file system that holds `path`, from the text of `mountinfo`.
#[cfg(target_os = "linux")]
fn mounted(mounts: &str, path: &Path) -> Option<String> {
    let entry = |line: &str| -> Option<(usize, String)> {
        let (left, right) = line.split_once(" - ")?;
        let point = unescaped(left.split(' ').nth(4)?);
        let kind = right.split(' ').next()?;
        path.starts_with(&point)
            .then(|| (Path::new(&point).components().count(), kind.to_owned()))
    };
    // Of two mounts at one place the later one is on top.
    let (_, kind) = mounts
        .lines()
        .filter_map(entry)
        .max_by_key(|(depth, _)| *depth)?;
    Some(kind)
}

/// `\040` and its kin as the bytes that they stand for.
#[cfg(target_os = "linux")]
fn unescaped(text: &str) -> String {
    let mut out = text.to_owned();
    for (code, byte) in [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ] {
        out = out.replace(code, byte);
    }
    out
}

/// A share that is named as one. Elsewhere only the trial of the lock speaks.
#[cfg(not(target_os = "linux"))]
fn network(path: &Path) -> Option<String> {
    let text = path.to_string_lossy();
    let share = text.starts_with("\\\\?\\UNC\\")
        || (text.starts_with("\\\\")
            && !text.starts_with("\\\\?\\")
            && !text.starts_with("\\\\.\\"));
    share.then(|| "a network share".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: &Path, allowed: Allowed) -> Option<Code> {
        check(path, &allowed).err().map(|r| r.code)
    }

    // R52
    #[test]
    fn a_folder_in_step_with_other_machines_is_refused_by_mark_and_by_name() {
        let temp = tempfile::tempdir().unwrap();
        let plain = temp.path().join("src/repo");
        std::fs::create_dir_all(&plain).unwrap();
        assert_eq!(code(&plain, Allowed::default()), None);
        assert_eq!(code(&plain.join("not/yet/there"), Allowed::default()), None);
        std::fs::create_dir(temp.path().join("src/.stfolder")).unwrap();
        assert_eq!(code(&plain, Allowed::default()), Some(Code::SyncFolder));
        let allowed = Allowed {
            sync: true,
            ..Allowed::default()
        };
        assert_eq!(code(&plain, allowed), None);
        for (name, refused) in [
            ("OneDrive", true),
            ("OneDrive - Company", true),
            ("Dropbox (Personal)", true),
            ("onedrive-client", false),
            ("OneDriver", false),
            ("dropbox", false),
        ] {
            let dir = temp.path().join("by-name").join(name);
            std::fs::create_dir_all(&dir).unwrap();
            assert_eq!(code(&dir, Allowed::default()).is_some(), refused, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_innermost_and_latest_mount_tells_the_kind() {
        let text = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
            40 21 0:40 / /home/u/my\\040net rw shared:1 - fuse.sshfs u@h: rw\n\
            41 21 0:41 / /home/u/my\\040net/in rw - fuse.gocryptfs x rw\n";
        let kind = |path: &str| mounted(text, Path::new(path));
        assert_eq!(kind("/home/u").as_deref(), Some("ext4"));
        assert_eq!(kind("/home/u/my net/a").as_deref(), Some("fuse.sshfs"));
        assert_eq!(
            kind("/home/u/my net/in/a").as_deref(),
            Some("fuse.gocryptfs")
        );
        assert_eq!(mounted("", Path::new("/")), None);
    }
}
