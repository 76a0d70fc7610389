"""The agent hosts the kit can drive: pinned packages, tool calls, start-up.

Everything that differs between hosts is in this file. A host is started once,
headless, with its own permission prompts switched off, so that a hook is the
only thing that can stop a tool call.
"""
import glob
import json
import os
from dataclasses import dataclass
from typing import Callable, Optional

MODEL = "mock-model"
PROMPT = "go"


@dataclass(frozen=True)
class Context:
    """What a start-up function needs to know about one run."""
    url: str            # base URL of the mock model
    cwd: str            # directory the host works in
    bypass_trust: bool  # skip the host's own trust question for hooks and folders
    outside: str = ""   # directory outside cwd that the tool call writes to, if any


@dataclass(frozen=True)
class Host:
    package: str        # npm package
    version: str        # pinned version
    binary: str         # path below node_modules, may contain wildcards
    shell: Callable     # (command) -> tool call
    write: Callable     # (path, text, cwd) -> tool call
    argv: Callable      # (Context) -> arguments after the binary
    env: Callable       # (Context) -> extra environment
    interpreter: Optional[str] = None  # program that runs the binary
    node: int = 20      # lowest major version of node that such a program was seen to run on


def call(name, **arguments):
    return {"name": name, "input": arguments}


# ---- Claude Code ------------------------------------------------------------

def claude_argv(ctx):
    # Hooks run in every permission mode; named tools need no prompt.
    return ["-p", PROMPT, "--model", "claude-sonnet-4-5", "--output-format", "json",
            "--permission-mode", "default", "--allowedTools", "Bash", "Write"]


def claude_env(ctx):
    return {"ANTHROPIC_BASE_URL": ctx.url, "ANTHROPIC_API_KEY": "unused",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


# ---- Codex ------------------------------------------------------------------

# Codex picks the tools by the model's name: with "gpt-5.5" it offers exec_command
# and apply_patch, with "gpt-6.2-sol" only `exec`, a script that calls those two
# ("code mode"). Both are driven, as hosts `codex` and `codex-code`.

def codex_argv(ctx, model="gpt-5.5"):
    provider = ('{name="mock",base_url="%s/v1",wire_api="responses",env_key="MOCK_KEY",'
                'request_max_retries=0,stream_max_retries=0}' % ctx.url)
    argv = ["exec", "--skip-git-repo-check", "-m", model,
            "-c", "model_provider=mock", "-c", "model_providers.mock=" + provider,
            "-c", "approval_policy=never", "-s", "danger-full-access"]
    if ctx.bypass_trust:
        trusted = '{%s={trust_level="trusted"}}' % json.dumps(ctx.cwd)
        argv += ["--dangerously-bypass-hook-trust", "-c", "projects=" + trusted]
    return argv + [PROMPT]


def codex_env(ctx):
    return {"MOCK_KEY": "unused"}


def codex_code_argv(ctx):
    return codex_argv(ctx, "gpt-6.2-sol")


def codex_patch(path, text, cwd):
    body = "".join("+%s\n" % line for line in text.splitlines() or [""])
    return "*** Begin Patch\n*** Add File: %s\n%s*** End Patch\n" % (
        os.path.relpath(path, cwd), body)


def codex_free_form(name, text):
    return {"name": name, "input": text, "custom": True}


def codex_command(command):
    # Not a login shell: profile files would reset PATH and hide the stand-in programs.
    return {"cmd": command, "login": False}


def codex_script(tool, argument):
    script = "text(await tools.%s(%s));" % (tool, json.dumps(argument))
    return codex_free_form("exec", script)


# ---- Copilot CLI ------------------------------------------------------------

def copilot_argv(ctx):
    return ["-p", PROMPT, "--allow-all-tools"]


def copilot_env(ctx):
    env = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
           "COPILOT_PROVIDER_BASE_URL": ctx.url + "/v1", "COPILOT_PROVIDER_API_KEY": "unused",
           "COPILOT_MODEL": "gpt-4.1"}
    if ctx.bypass_trust:
        env["COPILOT_ALLOW_ALL"] = "true"  # also loads the hooks of the repository
    return env


# ---- Qwen Code --------------------------------------------------------------

def qwen_argv(ctx):
    return ["-p", PROMPT, "--yolo", "--auth-type", "openai"]


def qwen_env(ctx):
    return {"OPENAI_API_KEY": "unused", "OPENAI_BASE_URL": ctx.url + "/v1",
            "OPENAI_MODEL": MODEL}


# ---- Gemini CLI -------------------------------------------------------------

def gemini_argv(ctx):
    argv = ["-p", PROMPT, "--yolo", "-m", "gemini-2.5-flash"]
    if not ctx.bypass_trust:
        argv.append("--skip-trust")  # starts in any folder, without the folder's hooks
    if ctx.outside:  # otherwise Gemini itself refuses to write outside its workspace
        argv += ["--include-directories", ctx.outside]
    return argv


def gemini_env(ctx):
    # GOOGLE_GEMINI_BASE_URL is refused headless ("Invalid auth method"), Vertex is not.
    env = {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_API_KEY": "unused",
           "GOOGLE_VERTEX_BASE_URL": ctx.url}
    if ctx.bypass_trust:
        env["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
    return env


# ---- OpenCode ---------------------------------------------------------------

def opencode_argv(ctx):
    return ["run", "-m", "mock/" + MODEL, "--auto", "--title", "live", PROMPT]


def opencode_env(ctx):
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "mock",
                "options": {"baseURL": ctx.url + "/v1", "apiKey": "unused"},
                "models": {MODEL: {"name": MODEL, "tool_call": True}}}
    config = {"provider": {"mock": provider}, "autoupdate": False}
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            # With a plugin it tries to install a package of types; do not wait for that.
            "npm_config_fetch_retries": "0"}


# ---- the table --------------------------------------------------------------

HOSTS = {
    "claude": Host(
        "@anthropic-ai/claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude",
        lambda command: call("Bash", command=command),
        lambda path, text, cwd: call("Write", file_path=path, content=text),
        claude_argv, claude_env),
    "codex": Host(
        "@openai/codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex",
        lambda command: call("exec_command", **codex_command(command)),
        lambda path, text, cwd: codex_free_form("apply_patch", codex_patch(path, text, cwd)),
        codex_argv, codex_env),
    "codex-code": Host(
        "@openai/codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex",
        lambda command: codex_script("exec_command", codex_command(command)),
        lambda path, text, cwd: codex_script("apply_patch", codex_patch(path, text, cwd)),
        codex_code_argv, codex_env),
    "copilot": Host(
        "@github/copilot", "1.0.102", "@github/copilot-*/copilot",
        lambda command: call("bash", command=command, description="live", mode="sync"),
        lambda path, text, cwd: call("create", path=path, file_text=text),
        copilot_argv, copilot_env),
    "qwen": Host(
        "@qwen-code/qwen-code", "0.24.4", "@qwen-code/qwen-code/cli-entry.js",
        lambda command: call("run_shell_command", command=command, description="live",
                             is_background=False),
        lambda path, text, cwd: call("write_file", file_path=path, content=text),
        qwen_argv, qwen_env, interpreter="node"),
    "gemini": Host(
        "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js",
        lambda command: call("run_shell_command", command=command, description="live"),
        lambda path, text, cwd: call("write_file", file_path=path, content=text),
        gemini_argv, gemini_env, interpreter="node"),
    "opencode": Host(
        "opencode-ai", "1.18.33", "opencode-*/bin/opencode",
        lambda command: call("bash", command=command, description="live"),
        lambda path, text, cwd: call("write", filePath=path, content=text),
        opencode_argv, opencode_env),
}


# ---- what is installed ------------------------------------------------------

def modules_of(name, cache):
    return os.path.join(cache, name.split("-")[0], "node_modules")


def installed_version(name, cache):
    """Version found in the cache, or None."""
    path = os.path.join(modules_of(name, cache), HOSTS[name].package, "package.json")
    try:
        with open(path) as source:
            return json.load(source)["version"]
    except OSError:
        return None


def command_of(name, cache):
    """The command that starts the installed host, or None."""
    host = HOSTS[name]
    found = sorted(glob.glob(os.path.join(modules_of(name, cache), host.binary)))
    if not found:
        return None
    return ([host.interpreter] if host.interpreter else []) + found[:1]
