#!/bin/sh
# Makes the archive of a release for one target, and its SHA256SUMS: the same input gives the same bytes.
# shellcheck disable=SC2015,SC2016
set -eu

usage() {
    cat <<'END'
makes leaseguard-VERSION-TARGET.tar.gz (.zip for Windows) and SHA256SUMS

usage: install/package.sh [options]
  --target T     build for this target instead of this machine's; it has to run here
  --binary FILE  pack this binary instead of building one
  --out DIR      put the files into this directory instead of dist
  --help         show this

SOURCE_DATE_EPOCH is the time of every file in the archive; the last commit's unless it is set
END
}

fail() {
    printf 'package.sh: %s\n' "$*" >&2
    exit 2
}
has() { command -v "$1" >/dev/null 2>&1; }

target=''
binary=''
out=dist
while [ $# -gt 0 ]; do
    case $1 in
        --target | --binary | --out)
            [ $# -ge 2 ] && [ -n "$2" ] || fail "\`$1\` wants a value"
            case $1 in
                --target) target=$2 ;;
                --binary) binary=$2 ;;
                --out) out=$2 ;;
            esac
            shift
            ;;
        --help)
            usage
            exit 0
            ;;
        *) fail "\`$1\` is no option of this script: see --help" ;;
    esac
    shift
done

here=$(pwd)
top=$(cd -- "$(dirname -- "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$top/Cargo.toml" | head -n 1)
[ -n "$version" ] || fail 'Cargo.toml names no version'
if [ -z "$target" ]; then
    target=$(rustc -vV | sed -n 's/^host: //p')
    [ -n "$target" ] || fail '`rustc -vV` names no host'
fi
case $target in
    *-windows-*) program=leaseguard.exe kind=zip ;;
    *) program=leaseguard kind=tar.gz ;;
esac
mkdir -p -- "$out"
out=$(cd -- "$out" && pwd)

if [ -z "$binary" ]; then
    # From the checkout, so that its .cargo/config.toml holds: it makes the Linux binary static.
    cd -- "$top"
    cargo build --release --locked --target "$target"
    binary="${CARGO_TARGET_DIR:-$top/target}/$target/release/$program"
    case $target in
        *-linux-*)
            case $("$binary" --version) in
                *'(static)') ;;
                *) fail 'the build is not static: is RUSTFLAGS set? it hides .cargo/config.toml' ;;
            esac
            ;;
    esac
    cd -- "$here"
fi
[ -f "$binary" ] || fail "there is no \`$binary\`"

name="leaseguard-$version-$target"
work=$(mktemp -d "${TMPDIR:-/tmp}/leaseguard.XXXXXX") || fail 'cannot make a temporary directory'
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

umask 022
stage="$work/$name"
mkdir -- "$stage" "$stage/completions"
cp -- "$binary" "$stage/$program"
for text in README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT; do
    cp -- "$top/$text" "$stage/$text"
done
own="$stage/$program"
"$own" man --dir "$stage/man" || fail 'the binary does not make its manual'
make() { "$own" completions "$1" >"$stage/completions/$2" || fail "the binary makes no completions for $1"; }
make bash leaseguard.bash
make zsh _leaseguard
make fish leaseguard.fish
make powershell _leaseguard.ps1
make elvish leaseguard.elv

# Fixed modes and times.
find "$stage" -type f -exec chmod 644 {} +
find "$stage" -type d -exec chmod 755 {} +
chmod 755 "$own"
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || :)}
epoch=${epoch:-315532800} # 1980: the first year that a zip archive can tell
stamp=$(date -u -d "@$epoch" +%Y%m%d%H%M.%S 2>/dev/null || date -u -r "$epoch" +%Y%m%d%H%M.%S) ||
    fail "SOURCE_DATE_EPOCH is \`$epoch\`, which is no time"
export TZ=UTC0
find "$stage" -exec touch -t "$stamp" {} +

# Fixed order and owner.
cd -- "$work"
find "$name" | LC_ALL=C sort >list
archive="$name.$kind"
if [ "$kind" = zip ]; then
    rm -f -- "$out/$archive"
    if has zip; then
        zip -q -X -9 "$out/$archive" -@ <list
    elif has 7z; then
        grep -v '/completions$\|/man$' list | sed 1d >files
        7z a -bso0 -tzip -mx=9 -mtc=off -mta=off "$out/$archive" @files
    else
        fail 'neither `zip` nor `7z` is here'
    fi
else
    case $(tar --version 2>/dev/null) in
        *GNU*) set -- --owner=0 --group=0 --numeric-owner ;;
        *) set -- --uid 0 --gid 0 --numeric-owner ;;
    esac
    COPYFILE_DISABLE=1 tar --format=ustar "$@" --no-recursion -cf archive.tar -T list
    gzip -9 -n <archive.tar >"$work/archive.tar.gz"
    mv -f -- archive.tar.gz "$out/$archive"
fi

# The sums of all archives that lie there, so that one list serves a whole release.
cd -- "$out"
for each in leaseguard-*.tar.gz leaseguard-*.zip; do
    if [ -f "$each" ]; then
        if has sha256sum; then sum=$(sha256sum <"$each"); else sum=$(shasum -a 256 <"$each"); fi
        printf '%s  %s\n' "${sum%% *}" "$each"
    fi
done | LC_ALL=C sort -k 2 >"$work/SHA256SUMS"
mv -f -- "$work/SHA256SUMS" SHA256SUMS
printf '%s\n' "$out/$archive"
