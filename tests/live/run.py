#!/usr/bin/env python3
"""Proves with the real agent hosts what an installed leaseguard stops in each of them.

  run.py [HOST...] [--binary FILE] [--cache DIR] [--limit SECONDS] [--require]

In a scratch home and a scratch repository with a bare remote, for each host:
a force push and a write of a guarded file run; after `leaseguard install` they do
not, and the model reads why; harmless calls run; after `leaseguard uninstall`
the push runs again and the settings are byte for byte what they were.
The table in README.md must say the same; UPDATE=1 writes it.

Exit code 0: every host that ran is as expected; hosts that cannot run here are
named loudly. 1: something is not as expected, or, with --require, was skipped.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import live
from hosts import HOSTS, command_of, installed_version
from scene import Scene, Trouble

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, "README.md")
OPEN, CLOSE = "<!-- live -->", "<!-- /live -->"

PUSH = "git push --force"
HARMLESS = "git status"
REASON = "git/force-push"
# A file that no tool may write, and the rule that says so. Some hosts refuse by themselves to
# write below `.git`; there a file of our own shows who it was that said no.
GUARDED = (".git/hooks/post-merge", "git/admin-write")
OURS = ("../home/.config/leaseguard/policy.toml", "self/tamper")
BRIEF = "leaseguard guards git here"

COLUMNS = ("host", "version", "force push without", "with", "reason reached the model",
           "guarded write", "harmless calls", "briefed at start", "program gone",
           "after uninstall")
TRUSTED = ("codex", "codex-code")  # a hook runs there only after a person has trusted it
# What a right row says where hosts differ; everything else is the same for all.
UNBRIEFED = ("opencode",)  # a plugin has no words for the start of a session
# What happens where the hook cannot be started; elsewhere the call is stopped.
OPEN_ENDED = {"codex": "runs", "codex-code": "runs", "qwen": "runs", "gemini": "no session starts"}


def expected(name):
    """The row of a host where leaseguard keeps all that it promises."""
    stopped = "stopped once trusted, runs before" if name in TRUSTED else "stopped"
    return {"force push without": "runs", "with": stopped, "reason reached the model": "yes",
            "guarded write": "denied", "harmless calls": "run",
            "briefed at start": "no" if name in UNBRIEFED else "yes",
            "program gone": OPEN_ENDED.get(name, "stopped"),
            "after uninstall": "runs, settings as before"}


# ---- one host -----------------------------------------------------------------

class Proof:
    """What one host does, step by step; `notes` tell what was not as expected."""

    def __init__(self, name, scene, cache, end):
        self.name, self.scene, self.cache, self.end = name, scene, cache, end
        self.notes = []
        self.guarded, self.rule = OURS if name in ("claude", "gemini") else GUARDED
        self.log = os.path.join(scene.work, "requests.jsonl")

    def run(self, trusted=True, **call):
        """One call through the host; a host that gives no verdict is asked once more."""
        for last in (False, True):
            left = self.end - time.monotonic()
            if left < 1:
                raise Trouble("the limit is used up before %s" % call)
            report = live.run(self.name, self.scene.home, self.scene.repo, log=self.log,
                              bypass_trust=trusted and self.name in TRUSTED,
                              cache=self.cache, timeout=min(60, left), **call)
            if "error" not in report:
                return report
            if last:
                raise Trouble("no verdict on %s: %s" % (call, report["error"]))

    def push(self, trusted=True):
        """Whether a force push moves the remote's branch, and what the model was told."""
        self.scene.diverge()
        report = self.run(trusted, command=PUSH, effect=self.scene.remote_ref())
        return report["tool_ran"], report["model_saw"] or ""

    def write(self, path):
        os.makedirs(os.path.dirname(os.path.join(self.scene.repo, path)), exist_ok=True)
        report = self.run(tool="write", path=path)
        if report["tool_ran"]:
            os.unlink(os.path.join(self.scene.repo, path))
        return report["tool_ran"], report["model_saw"] or ""

    def note(self, what, saw):
        self.notes.append("%s; the model saw: %s" % (what, " ".join(saw.split())[:600]))

    def without(self):
        """The control: a call that would not run anyway proves nothing when it is stopped."""
        ran, saw = self.push()
        wrote, answer = self.write(self.guarded)
        if not wrote:
            self.note("without leaseguard the write does not run", answer)
        if not ran:
            self.note("without leaseguard the push does not run", saw)
        return "runs" if ran and wrote else "does not run"

    def stopped(self):
        """With leaseguard: whether it is stopped, whether the reason arrived, whether writes are."""
        before = self.push(trusted=False) if self.name in TRUSTED else None
        ran, saw = self.push()
        reason = REASON in saw
        if ran or not reason:
            self.note("the push", saw)
        cell = "runs" if ran else "stopped"
        if before:
            cell += " once trusted, " + ("runs before" if before[0] else "stopped before")
        wrote, answer = self.write(self.guarded)
        denied = not wrote and self.rule in answer
        if not denied:
            self.note("the write", answer)
        return cell, "yes" if reason else "no", "denied" if denied else "not denied"

    def harmless(self):
        status = self.run(command=HARMLESS)
        wrote, answer = self.write("notes.txt")
        ran = status["tool_ran"] and "the command ran" in (status["model_saw"] or "")
        for what, fine, saw in (("`%s`" % HARMLESS, ran, status["model_saw"] or ""),
                                ("a plain write", wrote, answer)):
            if not fine:
                self.note(what, saw)
        return "run" if ran and wrote else "stopped"

    def briefed(self):
        """Whether any request to the model held our lines."""
        try:
            with open(self.log) as log:
                return "yes" if BRIEF in log.read() else "no"
        except OSError:
            return "no"

    def gone(self):
        """What the host does where the program has vanished from under its settings."""
        away = self.scene.program + ".away"
        os.rename(self.scene.program, away)
        try:
            return "runs" if self.push()[0] else "stopped"
        except Trouble as trouble:
            # No verdict is a verdict only where the host itself blames the program that is gone.
            if "blocked" in str(trouble) and self.scene.program in str(trouble):
                return "no session starts"
            raise
        finally:
            os.rename(away, self.scene.program)

    def after(self, before, touched):
        """After `uninstall`: every settings file that `install` touched, and the push."""
        now = self.scene.settings()
        changed = sorted(path for path in touched if now.get(path) != before.get(path))
        if changed:
            self.notes.append("not as before: " + ", ".join(changed))
        ran, saw = self.push()
        if not ran:
            self.note("after uninstall", saw)
        return "%s, settings %s" % ("runs" if ran else "stopped",
                                    "changed" if changed else "as before")

    def row(self):
        row = {"host": self.name, "version": installed_version(self.name, self.cache)}
        row["force push without"] = self.without()
        before = self.scene.settings()
        self.scene.install()
        with_it = self.scene.settings()
        touched = {p for p in before.keys() | with_it.keys() if before.get(p) != with_it.get(p)}
        if not touched:
            raise Trouble("`install` changed no file")
        os.unlink(self.log)
        row["with"], row["reason reached the model"], row["guarded write"] = self.stopped()
        row["harmless calls"] = self.harmless()
        row["briefed at start"] = self.briefed()
        row["program gone"] = self.gone()
        self.scene.uninstall()
        row["after uninstall"] = self.after(before, touched)
        return row


def prove(name, binary, cache, end):
    """The row of one host and what is wrong with it; no row where it could not be driven."""
    # OpenCode and Codex leave helpers behind that may still write while the folder is removed.
    with tempfile.TemporaryDirectory(prefix="leaseguard-live-", ignore_cleanup_errors=True) as work:
        proof = None
        try:
            scene = Scene(os.path.realpath(work), name.split("-")[0], binary)
            proof = Proof(name, scene, cache, end)
            row = proof.row()
        except (Trouble, subprocess.SubprocessError, OSError) as trouble:
            return None, (proof.notes if proof else []) + [str(trouble).replace(work, "…")]
        wrong = ["%s: `%s`, expected `%s`" % (column, row[column], want)
                 for column, want in expected(name).items() if row[column] != want]
        return row, wrong + (proof.notes if wrong else [])


# ---- what can run here ----------------------------------------------------------

def node_major():
    try:
        said = subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True, timeout=20)
        return int(re.match(r"v(\d+)", said.stdout).group(1))
    except (OSError, subprocess.SubprocessError, AttributeError):
        return 0


def missing(name, cache, patience):
    """Why the host cannot run here, after `patience` seconds of installing; empty if it can."""
    host = HOSTS[name]
    if installed_version(name, cache) != host.version or not command_of(name, cache):
        if not shutil.which("npm"):
            return "npm is not installed"
        try:
            live.install([name], cache, timeout=patience)
        except (SystemExit, subprocess.SubprocessError, OSError) as trouble:
            return "npm cannot install %s %s: %s" % (host.package, host.version, trouble)
    if host.interpreter and node_major() < host.node:
        return "it needs node %d, here is %s" % (host.node, node_major() or "none")
    return ""


def built():
    """The release build of this checkout."""
    out = subprocess.run(["cargo", "build", "--release", "--locked", "--message-format=json"],
                         cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [m.get("executable") for m in map(json.loads, out.splitlines())
             if m.get("reason") == "compiler-artifact" and m["target"]["name"] == "leaseguard"]
    return [path for path in found if path][-1]


# ---- the README -----------------------------------------------------------------

def line(cells):
    return "| %s |\n" % " | ".join(cells)


def inside(text):
    """The text before, between and after the markers."""
    before, rest = text.split(OPEN, 1)
    between, after = rest.split(CLOSE, 1)
    return before, between, after


def compare(rows):
    """Rows that the README does not tell so; with UPDATE=1 it is made to tell them."""
    with open(README) as source:
        before, between, after = inside(source.read())
    heading = line(COLUMNS) + line(["---"] * len(COLUMNS)).replace(" ", "")
    told = {l.split("|")[1].strip(): l + "\n" for l in between.splitlines()
            if l.startswith("| ") and l.split("|")[1].strip() in HOSTS}
    fresh = {name: line(row[c] for c in COLUMNS) for name, row in rows.items()}
    if os.environ.get("UPDATE") == "1":
        told.update(fresh)
        body = heading + "".join(told[name] for name in HOSTS if name in told)
        with open(README, "w") as out:
            out.write("%s%s\n\n%s\n%s%s" % (before, OPEN, body, CLOSE, after))
        return []
    return ["README.md says `%s`, seen was `%s`; UPDATE=1 tests/live/run.py writes it"
            % (told.get(name, "nothing").strip(), row.strip())
            for name, row in fresh.items() if told.get(name) != row]


# ---- all of it --------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description="what leaseguard stops in the real agent hosts")
    parser.add_argument("hosts", nargs="*", metavar="HOST", help="default: " + " ".join(HOSTS))
    parser.add_argument("--binary", help="the program to install; default: a release build")
    parser.add_argument("--cache", default=live.DEFAULT_CACHE)
    parser.add_argument("--limit", type=float, default=600, help="seconds; later hosts are skipped")
    parser.add_argument("--require", action="store_true", help="a host that is skipped is a failure")
    args = parser.parse_args()
    names = args.hosts or list(HOSTS)
    if not set(names) <= set(HOSTS):
        parser.error("known hosts: " + " ".join(HOSTS))
    binary, end = args.binary or built(), time.monotonic() + args.limit
    rows, good, wrong, skipped = {}, 0, [], []
    print(line(COLUMNS + ("seconds",)) + line(["---"] * (len(COLUMNS) + 1)), end="", flush=True)
    for name in names:
        start = time.monotonic()
        why = "the limit of %d s is used up" % args.limit
        if end - start > 30:
            # Where one package does not come, the others will not either: do not wait for each.
            why = missing(name, args.cache, 20 if skipped else min(180, end - start))
        if why:
            skipped.append("%s: %s" % (name, why))
            continue
        row, problems = prove(name, binary, args.cache, end)
        wrong += ["%s: %s" % (name, problem) for problem in problems]
        if row:
            rows[name] = row
            good += not problems
            print(line([*(row[c] for c in COLUMNS), "%.0f" % (time.monotonic() - start)]),
                  end="", flush=True)
    wrong += compare(rows)
    for text in skipped:
        print("SKIPPED, NOTHING IS PROVEN for " + text)
    for text in wrong:
        print("WRONG " + text)
    print("%d hosts as expected, %d skipped, %d things wrong"
          % (good, len(skipped), len(wrong)))
    return 1 if wrong or (skipped and args.require) else 0


if __name__ == "__main__":
    sys.exit(main())
