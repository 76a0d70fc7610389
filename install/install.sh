#!/bin/sh
# Installs leaseguard for one user: takes the archive of a release, checks it, puts the binary in place.
# Needs tar, gzip, curl or wget, and sha256sum or shasum; never needs root. `--help` tells the options.
# Chains of && and || stand for "fail unless all of it works"; backquotes in messages are only marks.
# shellcheck disable=SC2015,SC2016
set -eu

REPOSITORY='https://github.com/leaseguard/leaseguard'
VERSION='0.1.0'

usage() {
    cat <<END
installs leaseguard into ~/.local/bin

usage: install.sh [options]
  --version V    this version instead of $VERSION
  --prefix DIR   into DIR/bin and DIR/share instead of ~/.local/bin and ~/.local/share
  --from WHERE   take the archive and SHA256SUMS from this directory or https address
  --build        build it with cargo: from the checkout that holds this script, else from crates.io
  --dry-run      tell what would be done, and do nothing
  --help         show this

exit codes: 0 installed, 1 refused because the archive could not be trusted, 2 trouble
END
}

say() { printf '%s\n' "$*"; }
complain() { printf 'install.sh: %s\n' "$*" >&2; }
fail() {
    complain "$*"
    exit 2
}
refuse() {
    complain "$*; nothing was installed"
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# --- what is taken away again ---------------------------------------------------------------------

temporary=''
half=''  # a file beside its place, not yet moved there
made=''  # directories that were not there before, deepest first, one a line
kept=''  # set once the binary is in place

clean() {
    if [ -n "$half" ]; then rm -f -- "$half"; fi
    if [ -n "$temporary" ]; then rm -rf -- "$temporary"; fi
    if [ -z "$kept" ] && [ -n "$made" ]; then
        printf '%s' "$made" | while IFS= read -r dir; do
            rmdir -- "$dir" 2>/dev/null || :
        done
    fi
}

make_dir() {
    if [ ! -d "$1" ]; then
        make_dir "$(dirname -- "$1")" || return 1
        mkdir -- "$1" 2>/dev/null || return 1
        made="$1
$made"
    fi
}

# --- which archive --------------------------------------------------------------------------------

# Prints the target of this system, or nothing when no archive is made for it.
this_target() {
    machine=$(uname -m)
    case $(uname -s) in
        Linux) tail=unknown-linux-gnu ;;
        Darwin)
            tail=apple-darwin
            # A shell that Rosetta translates sees the wrong machine.
            if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then machine=arm64; fi
            ;;
        *) return 0 ;;
    esac
    case $machine in
        x86_64 | amd64) say "x86_64-$tail" ;;
        aarch64 | arm64) say "aarch64-$tail" ;;
    esac
}

# --- how it gets here -----------------------------------------------------------------------------

downloader() { has curl || has wget; }

# fetch NAME: puts the file NAME of the release into the temporary directory.
fetch() {
    case $from in
        https://*)
            if has curl; then
                curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location \
                    --retry 2 --output "$temporary/$1" -- "$from/$1"
            else
                wget -q -O "$temporary/$1" "$from/$1"
            fi
            ;;
        *) [ -f "$from/$1" ] && cp -- "$from/$1" "$temporary/$1" ;;
    esac
}

sum_of() {
    if has sha256sum; then
        sum=$(sha256sum <"$1") || return 1
    else
        sum=$(shasum -a 256 <"$1") || return 1
    fi
    say "${sum%% *}"
}

# Prints the sum that SHA256SUMS names for the archive; fails unless there is exactly one.
named_sum() {
    named=''
    while read -r sum name || [ -n "$sum" ]; do
        if [ "${name#\*}" = "$archive" ]; then
            [ -z "$named" ] || return 1
            named=$sum
        fi
        sum=''
    done <"$temporary/SHA256SUMS"
    case $named in *[!0-9a-f]*) return 1 ;; esac
    [ "${#named}" -eq 64 ] || return 1
    say "$named"
}

# Leaves the checked content of the archive in $stage.
take_archive() {
    has sha256sum || has shasum ||
        refuse 'neither `sha256sum` nor `shasum` is here to check the archive with'
    say "taking $archive from $from"
    fetch SHA256SUMS || {
        if [ -n "$given" ]; then refuse "there is no SHA256SUMS at \`$from\`"; fi
        return 1
    }
    fetch "$archive" || {
        if [ -n "$given" ]; then fail "there is no \`$archive\` at \`$from\`"; fi
        return 1
    }
    want=$(named_sum) || refuse "SHA256SUMS does not name one sum for \`$archive\`"
    got=$(sum_of "$temporary/$archive") || refuse "the sum of \`$archive\` could not be made"
    [ "$got" = "$want" ] ||
        refuse "the sum of \`$archive\` is \`$got\`, SHA256SUMS says \`$want\`: the archive is damaged or not the released one"
    say "checked: sha256 $got"
    mkdir "$temporary/unpacked"
    gzip -dc <"$temporary/$archive" >"$temporary/archive.tar" 2>/dev/null &&
        tar -xf "$temporary/archive.tar" -C "$temporary/unpacked" ||
        fail "\`$archive\` cannot be unpacked"
    stage="$temporary/unpacked/leaseguard-$version-$target"
}

# Leaves what cargo builds in $stage.
build() {
    has cargo || fail "$1, and cargo is not here to build it with: see https://rustup.rs"
    say "$1: building with cargo"
    stage="$temporary/built"
    mkdir "$stage"
    if [ -n "$checkout" ]; then
        set -- --path "$checkout"
    else
        set -- leaseguard --version "$version"
    fi
    CARGO_TARGET_DIR="$temporary/target" cargo install --locked --root "$temporary/root" "$@" ||
        fail 'cargo could not build it'
    mv -- "$temporary/root/bin/leaseguard" "$stage/leaseguard"
    mkdir "$stage/completions"
    "$stage/leaseguard" man --dir "$stage/man" &&
        "$stage/leaseguard" completions bash >"$stage/completions/leaseguard.bash" &&
        "$stage/leaseguard" completions zsh >"$stage/completions/_leaseguard" &&
        "$stage/leaseguard" completions fish >"$stage/completions/leaseguard.fish" ||
        complain 'the manual and the completions could not be made'
}

# --- putting it in place --------------------------------------------------------------------------

# Moves in one step: whoever runs the old binary keeps it, whoever starts it gets the old or the new one.
place_binary() {
    [ -f "$stage/leaseguard" ] && [ ! -h "$stage/leaseguard" ] ||
        fail "there is no program \`leaseguard\` in \`$archive\`"
    make_dir "$bin" || fail "cannot make \`$bin\`: choose another place with --prefix"
    if [ -d "$bin/leaseguard" ]; then fail "\`$bin/leaseguard\` is a directory: move it away"; fi
    half="$bin/.leaseguard.$$"
    { cp -- "$stage/leaseguard" "$half" && chmod 755 -- "$half"; } 2>/dev/null ||
        fail "cannot write into \`$bin\`: choose another place with --prefix"
    told=$("$half" --version 2>/dev/null) || fail "the binary does not run on this system; try --build"
    case $told in
        "leaseguard $version" | "leaseguard $version "*) ;;
        *) if [ "$stage" != "$temporary/built" ]; then fail "the binary says \`$told\`, not \`leaseguard $version\`"; fi ;;
    esac
    mv -f -- "$half" "$bin/leaseguard" || fail "cannot replace \`$bin/leaseguard\`"
    half=''
    kept=1
    say "installed $told: $bin/leaseguard"
}

# place FILE DIR NAME: a file that leaseguard works without.
place() {
    [ -f "$1" ] || return 0
    half="$2/.leaseguard.$$"
    if make_dir "$2" && { cp -- "$1" "$half" && chmod 644 -- "$half" && mv -f -- "$half" "$2/$3"; } 2>/dev/null; then
        half=''
    else
        rm -f -- "$half" 2>/dev/null || :
        half=''
        complain "cannot write \`$2/$3\`; leaseguard works without it"
    fi
}

place_rest() {
    share="$prefix/share"
    for page in "$stage"/man/*.1; do
        place "$page" "$share/man/man1" "${page##*/}"
    done
    place "$stage/completions/leaseguard.bash" "$share/bash-completion/completions" leaseguard
    place "$stage/completions/_leaseguard" "$share/zsh/site-functions" _leaseguard
    place "$stage/completions/leaseguard.fish" "$share/fish/vendor_completions.d" leaseguard.fish
}

tell_next() {
    command='leaseguard'
    case ":$PATH:" in
        *":$bin:"*)
            found=$(command -v leaseguard || :)
            if [ "$found" != "$bin/leaseguard" ]; then
                say "note: \`leaseguard\` on your PATH is $found, which comes first"
                command="'$bin/leaseguard'"
            fi
            ;;
        *)
            say "note: $bin is not on your PATH; add this to the file that your shell reads at start:"
            say "  export PATH=\"$bin:\$PATH\""
            command="'$bin/leaseguard'"
            ;;
    esac
    say 'next, connect your agents:'
    say "  $command install"
}

# --- the story ------------------------------------------------------------------------------------

main() {
    version=$VERSION
    given=''
    prefix=''
    forced=''
    dry=''
    while [ $# -gt 0 ]; do
        case $1 in
            --version | --prefix | --from)
                [ $# -ge 2 ] && [ -n "$2" ] || fail "\`$1\` wants a value"
                case $1 in
                    --version) version=${2#v} ;;
                    --prefix) prefix=$2 ;;
                    --from) given=${2%/} ;;
                esac
                shift
                ;;
            --build) forced=1 ;;
            --dry-run) dry=1 ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) fail "\`$1\` is no option of this script: see --help" ;;
        esac
        shift
    done
    case $version in
        '' | *[!0-9A-Za-z.+-]*) fail "\`$version\` is no version" ;;
    esac
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || fail 'HOME is not set: name a place with --prefix'
        prefix="$HOME/.local"
    fi
    case $prefix in /*) ;; *) prefix="$(pwd)/$prefix" ;; esac
    bin="$prefix/bin"
    from=${given:-$REPOSITORY/releases/download/v$version}
    case $from in
        https://*) ;;
        *://*) fail "\`$from\` is not https" ;;
        *) [ -d "$from" ] || fail "there is no directory \`$from\`" ;;
    esac
    # Only a script that lies in a checkout speaks for that checkout: one that came through a pipe does not.
    checkout=''
    if [ "${0##*/}" = install.sh ] && [ -f "$0" ]; then
        above=$(cd -- "$(dirname -- "$0")/.." && pwd)
        if grep -q '^name = "leaseguard"$' "$above/Cargo.toml" 2>/dev/null; then checkout=$above; fi
    fi
    target=$(this_target)
    archive="leaseguard-$version-$target.tar.gz"

    why=''
    if [ -n "$forced" ]; then
        why='--build was asked for'
    elif [ -z "$target" ]; then
        why="no archive is made for $(uname -s) on $(uname -m)"
        case $(uname -s) in
            MINGW* | MSYS* | CYGWIN*) fail "this is Windows: run install.ps1 in PowerShell" ;;
        esac
        if [ -n "$given" ]; then fail "$why: --build builds it with cargo"; fi
    elif [ "$from" != "${from#https://}" ] && ! downloader; then
        why='neither `curl` nor `wget` is here'
        if [ -n "$given" ]; then fail "$why to take the archive with"; fi
    fi

    if [ -n "$dry" ]; then
        if [ -n "$why" ]; then
            say "would build with cargo from ${checkout:-crates.io, version $version} ($why)"
        else
            say "would take $from/$archive and check it against SHA256SUMS"
        fi
        say "would put the binary at $bin/leaseguard, the manual and completions under $prefix/share"
        exit 0
    fi

    umask 022
    trap clean EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    temporary=$(mktemp -d "${TMPDIR:-/tmp}/leaseguard.XXXXXX") || fail 'cannot make a temporary directory'
    if [ -n "$why" ]; then
        build "$why"
    else
        take_archive || build "$archive could not be had from $from"
    fi
    place_binary
    place_rest
    tell_next
}

# At the end, so that a script that arrives in part does nothing.
main "$@"
