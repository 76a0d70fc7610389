"""A scratch home, a scratch repository with a bare remote, and the verbs of leaseguard run there."""
import hashlib
import json
import os
import shutil
import subprocess
import time

BRANCH = "work"
# What a person may have in the settings before leaseguard comes: odd on purpose, so that a file
# which is read and written anew does not pass for one that was left alone.
FOREIGN = """{
    "hooks":   { "PostToolUse": [
        { "matcher": "nothing-is-called-so", "hooks": [ { "type": "command", "command": "true" } ] } ]
    }

}"""
SEEDS = {
    "claude": {".claude/settings.json": FOREIGN},
    "codex": {".codex/hooks.json": FOREIGN, ".codex/config.toml": "# mine\nhide_agent_reasoning   = true\n"},
    "copilot": {".copilot/hooks/mine.json": '{ "version": 1,  "hooks": {} }'},
    "qwen": {".qwen/settings.json": FOREIGN},
    "gemini": {".gemini/settings.json": FOREIGN.replace("PostToolUse", "AfterTool")},
    "opencode": {".config/opencode/plugins/mine.js": "export const Mine = async () => ({})\n"},
}
# Where leaseguard keeps what it remembers; no settings of a host lie there.
STATE = ".local/state/leaseguard"


class Trouble(Exception):
    """Something around the proof does not work, so it says nothing."""


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def detached(argv, env, cwd, work, timeout):
    """Runs `argv` with the first process of the machine as its parent; (exit code, its words)."""
    done, words = os.path.join(work, "done"), os.path.join(work, "words")
    line = '"$@" >"%s" 2>&1; echo $? >"%s.new"; mv "%s.new" "%s"' % (words, done, done, done)
    subprocess.run(["setsid", "-f", "sh", "-c", line, "sh"] + argv, env=env, cwd=cwd,
                   stdin=subprocess.DEVNULL, check=True, timeout=timeout)
    end = time.monotonic() + timeout
    while not os.path.exists(done):
        if time.monotonic() > end:
            raise Trouble("no answer within %d s from: %s" % (timeout, " ".join(argv)))
        time.sleep(0.05)
    with open(done) as code, open(words, errors="replace") as said:
        answer = int(code.read()), said.read()
    os.unlink(done)
    return answer


class Scene:
    """One host's own home, repository and remote below `work`."""

    def __init__(self, work, host, binary):
        self.work, self.host = work, host
        self.home, self.repo = os.path.join(work, "home"), os.path.join(work, "repo")
        self.remote = os.path.join(work, "remote.git")
        self.program = os.path.join(self.home, ".local", "bin", "leaseguard")
        put(os.path.join(self.home, ".gitconfig"),
            "[user]\n\tname = Live\n\temail = live@example.com\n[init]\n\tdefaultBranch = main\n")
        for path, text in SEEDS[host].items():
            put(os.path.join(self.home, path), text)
        os.makedirs(os.path.dirname(self.program))
        shutil.copy2(binary, self.program)
        self.env = {"HOME": self.home, "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
        self.git("init", "-q", "--bare", self.remote, cwd=work)
        self.git("init", "-q", self.repo, cwd=work)
        self.git("remote", "add", "origin", self.remote)
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        self.git("push", "-q", "-u", "origin", "main")
        self.git("switch", "-q", "-c", BRANCH)
        self.git("commit", "-q", "--allow-empty", "-m", "pushed")
        self.git("push", "-q", "-u", "origin", BRANCH)

    def git(self, *args, cwd=None):
        run = subprocess.run(["git", *args], cwd=cwd or self.repo, env=self.env, timeout=60,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode:
            raise Trouble("git %s: %s" % (" ".join(args), run.stdout))
        return run.stdout.strip()

    def diverge(self):
        """Makes the next push one that has to be forced."""
        self.git("commit", "-q", "--amend", "--allow-empty", "-m", "anew at %s" % time.monotonic_ns())

    def remote_ref(self):
        """The file that a push moves."""
        return os.path.join(self.remote, "refs", "heads", BRANCH)

    def leaseguard(self, *args, alone=False, timeout=60):
        """Runs a verb of the installed program; (exit code, its words)."""
        argv = [self.program, *args]
        if alone:
            return detached(argv, self.env, self.repo, self.work, timeout)
        run = subprocess.run(argv, cwd=self.repo, env=self.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=timeout)
        return run.returncode, run.stdout

    def install(self):
        code, words = self.leaseguard("install", self.host, "--user", "--yes")
        if code:
            raise Trouble("`install` ended with %d: %s" % (code, words))

    def uninstall(self):
        """A person's verb: where an agent is among the ancestors, it is run apart from them."""
        verb = ("uninstall", self.host, "--user", "--yes")
        code, words = self.leaseguard(*verb)
        if code == 1:
            code, words = self.leaseguard(*verb, alone=True)
        if code:
            raise Trouble("`uninstall` ended with %d: %s" % (code, words))

    def settings(self):
        """Every file of the home but what leaseguard remembers: path -> digest."""
        found = {}
        for folder, _, names in os.walk(self.home):
            for name in names:
                path = os.path.join(folder, name)
                short = os.path.relpath(path, self.home)
                if os.path.isfile(path) and not short.startswith(STATE + os.sep):
                    with open(path, "rb") as source:
                        found[short] = hashlib.sha256(source.read()).hexdigest()
        return found

    def decisions(self):
        """The lines of leaseguard's log."""
        try:
            with open(os.path.join(self.home, STATE, "decisions.jsonl")) as source:
                return [json.loads(line) for line in source]
        except OSError:
            return []
