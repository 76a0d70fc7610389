#!/usr/bin/env python3
"""Drive a real agent host once, against a mock model, and report what happened.

  live.py install HOST... [--cache DIR]
  live.py run HOST --home DIR --cwd DIR --tool shell --command 'git push --force'
  live.py run HOST --home DIR --cwd DIR --tool write --path FILE

`run` prints one JSON line. Exit code 0: the host received the tool call and
the line says whether it ran. Exit code 3: no verdict, see "error".
"""
import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from hosts import HOSTS, Context, command_of, installed_version, modules_of
from mock_model import MockModel

DEFAULT_CACHE = os.environ.get("LEASEGUARD_LIVE_CACHE") or os.path.join(
    os.path.expanduser("~"), ".cache", "leaseguard-live")
WRITE_TEXT = "written by the live check\n"
# A proxy that nobody serves: the host reaches the mock and nothing else by HTTPS.
LOOPBACK_ONLY = {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
                 "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
# Words that no stand-in program can catch: not watched, or not to be read off at all.
BUILTINS = set(". : [ alias cd echo exit export false printf pwd read set test true unset".split())
UNCLEAR_WORDS = set("case command do eval exec for function if source time until while".split())
UNCLEAR_TEXT = re.compile(r"[<>$`*?\[\]{}\n]|(^|\s)[~#!]|[\"'][();|&]+[\"']")


# ---- installing -------------------------------------------------------------

def install(names, cache, timeout=300):
    """Install the pinned packages below the cache; no scripts, nothing global."""
    for name in names:
        host = HOSTS[name]
        if installed_version(name, cache) != host.version:
            prefix = os.path.dirname(modules_of(name, cache))
            os.makedirs(prefix, exist_ok=True)
            npm = subprocess.run(
                ["npm", "install", "--prefix", prefix, "--ignore-scripts", "--no-audit",
                 "--no-fund", "--loglevel=error", "--fetch-retries=1",
                 "--fetch-retry-mintimeout=2000", "%s@%s" % (host.package, host.version)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)
            if npm.returncode:
                raise SystemExit("npm: " + " ".join(npm.stdout.split())[:200])
        if not command_of(name, cache):
            raise SystemExit("%s: package installed, but no program for this platform" % name)
        print("%s %s" % (name, installed_version(name, cache)))


# ---- deciding whether the tool ran -------------------------------------------

def simple_commands(text):
    """Split a command line into simple commands (lists of words)."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands, words = [], []
    for token in lexer:
        if token and set(token) <= set("();<>|&"):
            commands, words = commands + [words], []
        else:
            words.append(token)
    commands.append(words)
    return [c for c in commands if c]


def watched(command, ran):
    """The calls that prove the tool ran: {program: [argument list, ...]}.

    Empty if they cannot be read off the command with certainty: a wrong guess
    would report a command that ran as blocked.
    """
    programs = {}
    if not ran and UNCLEAR_TEXT.search(command):
        return {}
    for words in [shlex.split(r) for r in ran] or simple_commands(command):
        while words and "=" in words[0] and words[0].split("=")[0].isidentifier():
            words = words[1:]
        if words and words[0] in UNCLEAR_WORDS:
            return {}
        if words and "/" not in words[0] and words[0] not in BUILTINS:
            programs.setdefault(words[0], []).append(words[1:])
    return programs


SHIM = """#!/bin/sh
# Stand-in for '{program}': notes the watched call instead of making it, and
# hands every other call (made by the host or by a hook) to the real program.
got=$(for word; do printf '%s\\037' "$word"; done; printf .)
for want in {wants}; do
  if [ "$got" = "$want" ]; then
    echo {program} >> {marker}
    echo 'live check: the command ran'
    exit 0
  fi
done
{otherwise}
"""


def write_shims(folder, programs, marker, path):
    for program, calls in programs.items():
        wants = " ".join(shlex.quote("".join(w + "\037" for w in c) + ".") for c in calls)
        real = shutil.which(program, path=path)
        otherwise = 'exec %s "$@"' % shlex.quote(real) if real else (
            "echo '%s: not found' >&2; exit 127" % program)
        target = os.path.join(folder, program)
        with open(target, "w") as out:
            out.write(SHIM.format(program=program, wants=wants, marker=shlex.quote(marker),
                                  otherwise=otherwise))
        os.chmod(target, 0o755)


def fingerprint(path):
    try:
        with open(path, "rb") as source:
            return hashlib.sha256(source.read()).hexdigest()
    except OSError:
        return None


# ---- one run ----------------------------------------------------------------

def start(argv, env, cwd, timeout, output):
    """Run the host in its own process group; returns its exit code or None."""
    process = subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=output, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the group this function started
        except ProcessLookupError:
            pass
        process.wait()


def run(name, home, cwd, tool="shell", command=None, path=None, ran=(), effect=None,
        bypass_trust=False, env=(), cache=DEFAULT_CACHE, timeout=90, log=None):
    host, program = HOSTS[name], command_of(name, cache)
    report = {"host": name, "version": installed_version(name, cache), "tool_ran": None,
              "model_saw": None, "seconds": None}
    if not program:
        return dict(report, error="not installed; run: live.py install " + name)
    home, cwd = os.path.realpath(home), os.path.realpath(cwd)
    effect, programs, outside = effect and os.path.join(cwd, effect), {}, ""
    if tool == "write":
        effect = path = os.path.join(cwd, path)
        if os.path.exists(path):  # hosts refuse to write a file they have not read
            return dict(report, error="the file exists already: " + path)
        folder = os.path.realpath(os.path.dirname(path))
        outside = "" if (folder + "/").startswith(cwd + "/") else folder
        call = host.write(path, WRITE_TEXT, cwd)
    else:
        call = host.shell(command)
        programs = {} if effect else watched(command, ran)
        if not effect and not programs:
            return dict(report, error="cannot tell what to watch for; use --ran or --effect")
    with tempfile.TemporaryDirectory(prefix="live-") as work, MockModel([call], log) as mock:
        shims, marker = os.path.join(work, "bin"), os.path.join(work, "marker")
        os.mkdir(shims)
        write_shims(shims, programs, marker, os.environ.get("PATH"))
        ctx = Context(mock.url, cwd, bypass_trust, outside)
        full_env = {"HOME": home, "PATH": shims + os.pathsep + os.environ.get("PATH", ""),
                    "SHELL": os.environ.get("SHELL", "/bin/sh"), "TERM": "dumb",
                    "LANG": "C.UTF-8", **LOOPBACK_ONLY, **host.env(ctx), **dict(env)}
        before, began = effect and fingerprint(effect), time.monotonic()
        with open(os.path.join(work, "output"), "w+", errors="replace") as output:
            code = start(program + host.argv(ctx), full_env, cwd, timeout, output)
            report["seconds"] = round(time.monotonic() - began, 1)
            output.seek(0)
            tail = output.read()[-600:]
        happened = fingerprint(effect) != before if effect else os.path.exists(marker)
        report["model_saw"] = "\n".join(mock.results()) or None
        if not mock.sent:
            report["error"] = "the host never asked the model for a tool call: " + tail
        elif call["name"] not in mock.offered():
            report["error"] = "the host offers no tool %s, only: %s" % (
                call["name"], " ".join(mock.offered()))
        elif code is None:
            report["error"] = "timed out after %s s: %s" % (timeout, tail)
        elif not happened and report["model_saw"] is None:
            report["error"] = "no tool result came back (exit %s): %s" % (code, tail)
        report["tool_ran"] = happened if happened or "error" not in report else None
    return report


def main():
    parser = argparse.ArgumentParser(description="drive a real agent host once")
    sub = parser.add_subparsers(dest="verb", required=True)
    p = sub.add_parser("install", help="install pinned host packages with npm")
    p.add_argument("hosts", nargs="+", choices=sorted(HOSTS), metavar="HOST")
    p.add_argument("--cache", default=DEFAULT_CACHE)
    p = sub.add_parser("run", help="run one tool call through a host")
    p.add_argument("host", choices=sorted(HOSTS))
    p.add_argument("--home", required=True, help="HOME of the host, with the hook installed")
    p.add_argument("--cwd", required=True, help="directory the host works in")
    p.add_argument("--tool", choices=("shell", "write"), default="shell")
    p.add_argument("--command", help="shell command the model asks for")
    p.add_argument("--path", help="file the model asks to write")
    p.add_argument("--ran", action="append", default=[], metavar="CALL",
                   help="program call that proves the command ran (default: read off it)")
    p.add_argument("--effect", metavar="FILE",
                   help="judge by a change of this file; the command runs for real")
    p.add_argument("--bypass-trust", action="store_true",
                   help="skip the host's trust question for hooks and folders")
    p.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    p.add_argument("--timeout", type=float, default=90)
    p.add_argument("--log", help="keep the requests to the model in this file")
    p.add_argument("--cache", default=DEFAULT_CACHE)
    args = vars(parser.parse_args())
    if args.pop("verb") == "install":
        return install(args["hosts"], args["cache"])
    if not args["command" if args["tool"] == "shell" else "path"]:
        parser.error("--tool shell needs --command, --tool write needs --path")
    args["env"] = [pair.split("=", 1) for pair in args["env"]]
    report = run(args.pop("host"), args.pop("home"), args.pop("cwd"), **args)
    print(json.dumps(report))
    return 3 if "error" in report else 0


if __name__ == "__main__":
    sys.exit(main())
