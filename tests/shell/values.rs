//! What words become, against what bash makes of them.

use crate::{extract, oracle};
use leaseguard::shell::Opaque;

/// Snippets that end in a call of `probe`, whose words must be known.
const KNOWN: &[&str] = &[
    // Splitting and removal of empty words.
    "x='push --force'; probe $x",
    "x='push --force'; probe \"$x\"",
    "x=; probe a $x b",
    "x=; probe a \"$x\" b",
    "x=' a  b '; probe $x",
    "x=' a  b '; probe pre$x'post'",
    "x='a b'; probe $x$x",
    "x='a b'; probe \"$x\"$x",
    "x='a\tb\nc'; probe $x",
    "x=' '; probe a$x'b'",
    "IFS=:; x=a:b::c; probe $x",
    "IFS=:; x=:a:; probe $x",
    "IFS=': '; x='a : b'; probe $x",
    "IFS=,; x=a,b; y=$x; probe $y",
    "probe git${IFS}push${IFS}-f",
    "IFS=; x='a b'; probe $x",
    "probe '' \"\" a''",
    "unset novar; probe \"\"$novar''",
    // Variables and assignments.
    "a=gi; b=t; probe $a$b",
    "a=1; a+=2; probe $a",
    "a=1 b=$a; probe $b",
    "a='x y'; b=$a; probe \"$b\"",
    "a=b; b=c; probe ${!a}",
    "unset a; probe [$a]x",
    "export A='1 2'; probe $A",
    "declare -r A=1; probe $A",
    "x=1; unset x; probe a $x",
    "A=5 true; A=6; probe $A",
    // Parameter operators.
    "x=; probe ${x:-d} ${x-d}",
    "x=v; probe ${x:-d} ${x:+alt} ${x+alt}",
    "x=; probe a${x:+alt}b ${x+alt}",
    "x=; probe ${x:-a b}",
    "x=; probe \"${x:-a b}\"",
    "x=; probe ${x:-'a b' c}",
    "x=; probe \"${x:-'a b'}\"",
    "x=; probe ${x:=v w} $x",
    "x=refs/heads/main; probe ${x#refs/} ${x##*/} ${x%/*} ${x%%/*}",
    "x=a.b.c; probe ${x%.*} ${x#*.} ${x##*.}",
    "x='a*b'; probe ${x#'a*'} ${x#\"a*\"}",
    "x=aXbXc; probe ${x/X/-} ${x//X/-} ${x/#a/-} ${x/%c/-} ${x//X}",
    "x=abc; probe ${x:1} ${x:1:1} ${x: -1} ${x:0:2}",
    "x=Abc; probe ${x^^} ${x,,} ${x^} ${x,}",
    "x=abc; probe ${#x}",
    "x=naïve; probe ${#x}",
    "x=a; probe ${x#b} ${x%b}",
    "x=[a]; probe \"${x#[}\" \"${x%]}\"",
    // Arrays and positional parameters.
    "a=(git push -f); probe \"${a[@]}\"",
    "a=(git 'push -f'); probe ${a[@]}",
    "a=(git push -f); probe \"${a[*]}\"",
    "a=(git push -f); probe \"$a\" ${a[1]} ${a[2]} ${#a[@]}",
    "a=(x); a+=(y 'z w'); probe \"${a[@]}\"",
    "a=(); probe x \"${a[@]}\" y",
    "a=(x y); probe \"p${a[@]}s\"",
    "a[0]=x; a[1]=y; probe \"${a[@]}\"",
    "a=(x y z); probe \"${a[@]:1}\"",
    "declare -a a=(x y); probe \"${a[@]}\"",
    "a=(x y); a[1]=q; probe \"${a[@]}\"",
    "set -- a 'b c'; probe \"$@\"",
    "set -- a 'b c'; probe $@",
    "set -- a 'b c'; probe \"$*\"",
    "set -- a 'b c'; probe $# $1 \"$2\"",
    "set -- a b c; shift; probe \"$@\"",
    "set -- a b c; shift 2; probe $1",
    "set --; probe x \"$@\" y",
    "set -- a b; probe \"pre$@post\"",
    "set -- a b; probe \"${@:2}\"",
    "set -e -- x; probe \"$@\"",
    "IFS=-; set -- a b; probe \"$*\"",
    // Quotes and escapes.
    "probe $'a\\tb' $'\\x41\\102\\u0043' $'it\\'s'",
    "probe $'a\\0b'c",
    "probe $'a\\u0000b'c",
    "probe $'\\u' $'\\xg' $'\\z' $'\\cG'",
    "probe a\\ b \"a\\$b\\`c\\\"d\\\\e\\f\"",
    "probe \"a\\\nb\" a\\\nb 'a\\\nb'",
    "x=v; probe $\\\nx ${\\\nx} \"$\\\nx\"",
    "xy=v; probe $x\\\ny",
    "probe $\\\n'a\\tb'",
    "probe $\"loc\"",
    "probe '$x' \\$x \"\\$x\"",
    "probe a#b # comment",
    "probe $ a$ \"$\" \"a$\"",
    "probe 'a'\"b\"c\\d",
    // Braces and tildes.
    "probe {a,b}c{d,e}",
    "probe {a,{b,c}} x{,y} {a}",
    "probe {1..3} {3..1} {01..03} {a..e..2} {1..6..2}",
    "probe {a,b c,d} '{a,b}' \\{a,b} {a,b\\,c}",
    "probe {a},b} {{a,b} {a,b}} {,} {",
    "x=1; xa=A xb=B; probe $x{a,b} ${x}{a,b}",
    "probe {--force,origin} a{b",
    "probe ~ ~/x '~' a~ \"~\" \\~",
    "x=~/y; probe $x",
    "A=~/x:~/y; probe $A",
    "probe a=~/x --a=~/x",
    "HOME=/h; probe ~ $HOME",
    // Output that is known.
    "probe $(echo a b)",
    "probe \"$(echo a b)\"",
    "probe $(printf 'g%st' i) push",
    "probe \"$(printf '%s-%s\\n' a b c d)\"",
    "probe \"$(printf '%d|%c|%%|%b' 7 xyz 'a\\tb')\"",
    "probe \"$(printf '\\x41\\101\\n')\"",
    "probe \"$(printf -- '%s' x)\"",
    "probe \"$(printf abc)\"",
    "probe \"$(echo -n a; echo b)\"",
    "probe \"$(echo -e 'a\\tb\\c d')\"",
    "probe \"$(echo -ne 'a\\x41')\"",
    "probe \"$(echo -E 'a\\tb')\"",
    "probe \"$(echo -x a)\"",
    "probe \"$(echo 'a\n\n')\"",
    "probe \"$(cat <<'E'\nit's $x\nE\n)\"",
    "x=1; probe \"$(cat <<E\na $x\n\\$x \\`y\\`\nE\n)\"",
    "probe \"$(cat <<-E\n\t\ta\n\tE\n)\"",
    "probe \"$(echo $(echo a))\" `echo b` \"`echo \\`echo c\\``\"",
    "probe \"$(echo a | cat)\"",
    "probe \"$(true)\" \"$(:)\"",
    "x=$(echo 'a b'); probe $x",
    "printf -v x '%s-' a b; probe $x",
    "probe \"$(cat <<< 'a b')\"",
    "f() { echo \"<$1>\"; }; probe \"$(f x)\"",
    "probe \"$( (echo a; echo b) )\"",
    "probe \"$(for i in a b; do echo $i; done)\"",
    // Functions and scopes.
    "f() { probe \"$@\"; }; f a 'b c'",
    "f() { local x=in; }; x=out; f; probe $x",
    "f() { x=in; }; x=out; f; probe $x",
    "f() { shift; probe $1; }; f a b",
    "f() { set -- q; }; set -- a; f; probe $1",
    "x=1; (x=2); probe $x",
    "x=1; true | x=2; probe $x",
    "x=1; { x=2; }; probe $x",
    "for x in a b; do :; done; probe $x",
    "for x in a b; do probe $x; done",
    "set -- p q; for x; do probe $x; done",
    "x=$(x=5; echo $x); probe $x",
    "eval 'x=3'; probe $x",
    "x=a; eval \"probe $x\"",
    "x=a; eval probe '$x'",
];

fn shown(words: &[leaseguard::shell::Word]) -> String {
    words
        .iter()
        .skip(1)
        .map(|w| format!("<{}>", w.text))
        .collect::<String>()
        + "\n"
}

#[test]
fn words_are_what_bash_makes_of_them() {
    if !oracle::there() {
        return;
    }
    let mut wrong = Vec::new();
    for snippet in KNOWN {
        let real = oracle::prints(&format!(
            "probe() {{ local IFS=; [ $# = 0 ] || printf '<%s>' \"$@\"; echo; }}\n{snippet}"
        ));
        let script = extract(snippet);
        let mut ours = String::new();
        for command in script.commands() {
            if command.words.first().is_some_and(|w| w.text == "probe") {
                if command.words.iter().any(|w| w.opaque != Opaque::No) {
                    ours.push_str("(unknown) ");
                }
                ours.push_str(&shown(&command.words));
            }
        }
        if ours != real {
            wrong.push(format!("{snippet:?}\n  bash {real:?}\n  ours {ours:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Snippets whose words only the run knows: known text in them must still be right.
const OPAQUE: &[&str] = &[
    "probe a $NOT_SET b",
    "probe \"a$(date)\"",
    "read x <<< 'a b'; probe \"$x\"",
    "probe $((1+2)) $RANDOM",
    "x=5; ((x++)); probe $x",
    "let x=1+1; probe $x",
    "declare -i x=1+1; probe $x",
    "declare -A m=([a]=b); probe \"${m[a]}\"",
    "a=([2]=x); probe \"${a[@]}\"",
    "x=abc; probe ${x@Q}",
    "declare -n r=x; x=7; probe $r",
    "getopts ab: o -a; probe $o",
    "mapfile -t m <<< 'a'; probe \"${m[@]}\"",
    "x=$(ls); probe \"$x\"",
    "while read -r l; do probe \"$l\"; done <<< 'q'",
];

#[test]
fn what_only_the_run_knows_is_opaque() {
    for snippet in OPAQUE {
        let script = extract(snippet);
        let unknown = script
            .commands()
            .filter(|c| c.words.first().is_some_and(|w| w.text == "probe"))
            .any(|c| c.words.iter().any(|w| w.opaque != Opaque::No));
        assert!(unknown, "{snippet}");
    }
}
