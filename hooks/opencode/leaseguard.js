// leaseguard for OpenCode: asks before every tool call, and throws on every answer but a silent yes.
//
// Nothing is done while this file loads, because OpenCode drops a plugin that fails to load.

const PROGRAM = "@LEASEGUARD@"
const ARGS = ["hook", "--host", "opencode"]
const TIMEOUT = 30000 // milliseconds

function message(event, session, cwd, tool, input) {
  return JSON.stringify({
    host: "opencode",
    hook_event_name: event,
    session_id: session,
    cwd,
    tool_name: tool,
    tool_input: input,
  })
}

async function ask(text) {
  let answer
  try {
    const { spawnSync } = await import("node:child_process")
    answer = spawnSync(PROGRAM, ARGS, {
      input: text,
      encoding: "utf8",
      timeout: TIMEOUT,
      killSignal: "SIGKILL",
      windowsHide: true,
    })
  } catch (error) {
    throw new Error(`leaseguard cannot be started, nothing ran: ${error}`)
  }
  const { status, signal, stdout, stderr, error } = answer ?? {}
  if (error) throw new Error(`leaseguard failed, nothing ran: ${error.message}`)
  if (status === 2 && stderr) throw new Error(stderr)
  if (status !== 0 || signal) {
    throw new Error(`leaseguard failed, nothing ran: it ended with ${signal ?? status}`)
  }
  if (stdout !== "") throw new Error("leaseguard gave an answer that nobody understands, nothing ran")
}

// What already happened is told to nobody's delay and at nobody's risk.
async function tell(text) {
  try {
    const { spawn } = await import("node:child_process")
    const child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "ignore", "ignore"], windowsHide: true })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(text)
    child.unref()
  } catch {}
}

export const Leaseguard = async (context) => {
  const cwd = context?.directory ?? context?.worktree
  return {
    "tool.execute.before": async (input, output) => {
      await ask(message("tool.execute.before", input.sessionID, cwd, input.tool, output.args))
    },
    "tool.execute.after": async (input) => {
      await tell(message("tool.execute.after", input?.sessionID, cwd, input?.tool))
    },
    "chat.message": async (input) => {
      await tell(message("chat.message", input?.sessionID, cwd))
    },
    event: async (input) => {
      const { type, properties } = input?.event ?? {}
      if (["session.created", "session.deleted", "session.idle"].includes(type)) {
        await tell(message(type, properties?.info?.id ?? properties?.sessionID, cwd))
      }
    },
  }
}
