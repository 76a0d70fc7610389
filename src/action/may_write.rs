//! Programs that write nothing in the directory that they run in, or whose files are told one by one.

use super::wrap;

/// Programs that only look, and builtins; sorted.
#[rustfmt::skip]
const LOOKS: &[&str] = &[
    ".", "[", "[[", "arch", "base64", "bg", "break", "builtin", "caller", "cat", "chgrp", "chmod",
    "chown", "cksum", "clear", "code", "continue", "cp", "date", "dd", "df", "dircolors", "dirs",
    "disown", "du", "emacs", "enable", "eval", "exec", "fg", "find", "free", "fuser", "getconf",
    "getopts", "groups", "hexdump", "host", "hostname", "id", "install", "ionice", "jobs", "ln",
    "locale", "logname", "lsof", "md5sum", "mv", "nano", "nice", "nproc", "numfmt", "od", "ping",
    "popd", "printenv", "ps", "pushd", "pwd", "readarray", "readlink", "realpath", "rm", "rmdir",
    "rsync", "seq", "sha1sum", "sha256sum", "sha512sum", "shopt", "shred", "sleep", "sponge",
    "strings", "suspend", "time", "times", "top", "trap", "truncate", "tty", "ulimit", "umask",
    "unalias", "uname", "unlink", "uptime", "users", "vi", "vim", "wait", "watch", "who", "whoami",
    "xxd", "yes",
];

/// Programs that the table of data programs holds, and that write all the same.
const WRITE: &[&str] = &["make", "osascript"];

/// Whether `base` may write in its directory without saying where.
pub(super) fn may_write(base: &str) -> bool {
    let looks = LOOKS.binary_search(&base).is_ok() || wrap::is_data(base) || wrap::only_wraps(base);
    !base.is_empty() && (!looks || WRITE.contains(&base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_as_the_search_wants_them() {
        assert!(LOOKS.is_sorted());
    }

    #[test]
    fn builders_may_write_and_readers_and_wrappers_do_not() {
        for program in ["cargo", "npm", "make", "prettier", "python3", "./build.sh"] {
            assert!(may_write(program), "{program}");
        }
        for program in [
            "ls", "cat", "rg", "cd", "pushd", "env", "sudo", "timeout", "echo", "rm",
        ] {
            assert!(!may_write(program), "{program}");
        }
    }
}
