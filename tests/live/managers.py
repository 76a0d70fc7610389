#!/usr/bin/env python3
"""git's own hooks beside the real hook managers: what cannot be had here is skipped by name."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    found = sorted(ROOT.glob("target/**/release/leaseguard")) or sorted(ROOT.glob("target/**/debug/leaseguard"))
    if not found:
        sys.exit("managers: no leaseguard is built: cargo build --release")
    return str(found[0])


class Yard:
    """A checkout with a remote, and a shell that goes by the name of a host."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.repo = self.root / "repo"
        for name in ("repo", "home", "bin"):
            (self.root / name).mkdir(parents=True)
        (self.root / "bin/claude").symlink_to("/bin/sh")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@e",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@e",
        }
        # How this machine reaches its registries.
        for name, value in os.environ.items():
            if name.lower().endswith(("_proxy", "_certs", "_cert_file", "_ca_bundle")) or name.startswith(("PIP_", "npm_config_")) or name in ("SSL_CERT_DIR", "PIP_CERT"):
                self.env[name] = value
        npmrc = pathlib.Path.home() / ".npmrc"
        if npmrc.exists():
            self.env["npm_config_userconfig"] = str(npmrc)
        self.run("git", "init", "-q", "--bare", "../origin.git")
        self.run("git", "init", "-q", "-b", "main")
        self.run("git", "remote", "add", "origin", "../origin.git")
        (self.repo / ".gitignore").write_text("node_modules\n")
        (self.repo / "a").write_text("a\n")
        self.run("git", "add", ".gitignore", "a")
        self.run("git", "commit", "-qm", "first")
        self.run("git", "push", "-q", "origin", "main")
        self.run("git", "switch", "-q", "-c", "feat")

    def run(self, *words, check=True):
        done = subprocess.run(words, cwd=self.repo, env=self.env, capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout[-300:]}{done.stderr[-300:]}")
        return done

    def agent(self, text):
        return self.run(str(self.root / "bin/claude"), "-c", text + "\ncode=$?; exit $code", check=False)


def husky(yard):
    (yard.repo / "package.json").write_text('{"private":true}')
    yard.run("npm", "install", "--silent", "--no-audit", "--no-fund", "husky@9")
    return lambda: yard.run("npx", "--no-install", "husky")


def lefthook(yard):
    (yard.repo / "package.json").write_text('{"private":true}')
    (yard.repo / "lefthook.yml").write_text("pre-push:\n  jobs:\n    - run: 'true'\npre-commit:\n  jobs:\n    - run: 'true'\n")
    yard.run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "lefthook@2")
    return lambda: yard.run("npx", "--no-install", "lefthook", "install")


def framework(name):
    def prepare(yard):
        venv = yard.root / "venv"
        yard.run(sys.executable, "-m", "venv", str(venv))
        yard.run(str(venv / "bin/pip"), "install", "-q", name)
        (yard.repo / ".pre-commit-config.yaml").write_text(
            "repos:\n  - repo: local\n    hooks:\n      - {id: fine, name: fine, language: system, "
            "entry: 'true', always_run: true, pass_filenames: false, stages: [pre-push, pre-commit]}\n"
        )
        yard.run("git", "add", ".pre-commit-config.yaml")
        yard.run("git", "commit", "-qm", "config")
        tool = str(venv / "bin" / name)
        return lambda: yard.run(tool, "install", "-t", "pre-push", "-t", "pre-commit")

    return prepare


MANAGERS = {
    "husky": (husky, "npm"),
    "lefthook": (lefthook, "npm"),
    "pre-commit": (framework("pre-commit"), sys.executable),
    "prek": (framework("prek"), sys.executable),
}


def prove(name, prepare, lg):
    """Our hooks are put in after the manager's, and the manager then installs anew."""
    with tempfile.TemporaryDirectory() as root:
        yard = Yard(root)
        try:
            install = prepare(yard)
            install()
        except Exception as why:  # noqa: BLE001
            return f"SKIPPED: {str(why)[-160:]}"
        yard.run(lg, "install", "git", "--yes")
        for round in ("after our install", "after the manager installed anew"):
            install()
            yard.run("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "x")
            denied = yard.agent("git push origin HEAD:main")
            if denied.returncode == 0 or "denied git/base-push" not in denied.stdout + denied.stderr:
                return f"WRONG, {round}: the push of a base branch passed: {denied.stdout}{denied.stderr}"
            allowed = yard.agent("git push -q origin HEAD")
            if allowed.returncode != 0:
                return f"WRONG, {round}: a harmless push failed: {allowed.stdout}{allowed.stderr}"
        return "ok"


def main():
    lg, wrong = binary(), False
    chosen = sys.argv[1:] or list(MANAGERS)
    for name, (prepare, needs) in ((name, MANAGERS[name]) for name in chosen):
        told = prove(name, prepare, lg) if shutil.which(needs) else f"SKIPPED: there is no {needs}"
        print(f"hook manager {name}: {told}", flush=True)
        wrong |= told.startswith("WRONG")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
