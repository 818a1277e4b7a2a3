// Written by `sandbox init --opencode`; `sandbox uninstall` takes it out again.
// Asks the gate before every tool call.  Whatever goes wrong refuses the call.
import { spawn } from "node:child_process"

const WORDS = [@WORDS@
]
const BROKEN = "sandbox did not let this call run, nothing was executed: "

// What the hook says to one call: an object, or an error.
function ask(call) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(BROKEN + why))
    const child = spawn(WORDS[0], WORDS.slice(1), {
      env: { LANG: process.env.LANG ?? "", TZ: process.env.TZ ?? "" },
      stdio: ["pipe", "pipe", "ignore"],
    })
    const out = []
    child.on("error", () => fail("the hook cannot be started"))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (d) => out.push(d))
    child.on("close", (code) => {
      if (code !== 0) return fail("the hook did not end well")
      try {
        resolve(JSON.parse(Buffer.concat(out).toString("utf8")))
      } catch {
        fail("the hook gave no answer")
      }
    })
    child.stdin.end(JSON.stringify(call))
  })
}

export const Sandbox = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await ask({
      session_id: input.sessionID,
      cwd: directory,
      hook_event_name: "tool.execute.before",
      tool_name: input.tool,
      tool_input: output.args ?? {},
      tool_use_id: input.callID ?? "",
    })
    if (answer?.decision === "none" || answer?.decision === "allow") return
    throw new Error(answer?.reason || BROKEN + "no reason was given")
  },
})
