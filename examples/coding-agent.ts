// A coding agent: it reads a project, runs its test in a sandbox, edits a file and runs the test again. A scripted model
// stands for a real one. Every edit and every command waits for an approval, which this program gives.
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, filesystem } from "undangle/agent";
import type { PendingCall } from "undangle/agent";
import { bubblewrap } from "undangle/files";
import { scriptedModel } from "undangle/testing";

const project = mkdtempSync(join(tmpdir(), "undangle-project-"));
writeFileSync(join(project, "greet.sh"), 'echo "Hello, $2!"\n');
writeFileSync(
  join(project, "test.sh"),
  '[ "$(sh greet.sh Ada)" = "Hello, Ada!" ] && echo passed || { echo failed; exit 1; }\n',
);
if (process.getuid?.() === 0) chownSync(project, 65534, 65534); // as root, commands run as the owner of the folder

const sandbox = bubblewrap(project, { timeout: 10_000 });
const canRun = await sandbox.canExecute();
if (!canRun) console.log("The sandbox cannot run here (see docs/guide/sandbox.md), so the agent only edits.");

const runTest = canRun ? [{ calls: [{ name: "execute", arguments: { command: "sh test.sh" } }] }] : [];
const model = scriptedModel([
  {
    text: "I read the project.",
    calls: [{ name: "ls" }, { name: "read_file", arguments: { file_path: "/greet.sh" } }],
  },
  ...runTest,
  { calls: [{ name: "edit_file", arguments: { file_path: "/greet.sh", old_string: "$2", new_string: "$1" } }] },
  ...runTest,
  { text: "greet.sh used the wrong argument. It is fixed." },
]);
const agent = createAgent({
  model,
  middleware: [filesystem({ backend: sandbox })],
  approvals: [{ tools: ["write_file", "edit_file", "delete", "execute"] }],
});
const thread = agent.thread("fix-the-test");

/** What a person would see before the decision. */
function show({ name, render }: PendingCall): void {
  if (render?.type === "diff") console.log(`${name} ${render.path}\n${render.text}`);
  else if (render?.type === "command") console.log(`${name} $ ${render.command}`);
}

let reply = await thread.send("The test of this project fails. Fix it.").result;
while (reply.status === "waiting") {
  reply.pending.forEach(show);
  reply = await thread.approveAll({ by: "example" }).result;
}
for (const { name, result } of await thread.calls()) if (name === "execute") console.log(`result: ${String(result)}`);
console.log(reply.text);
console.log(readFileSync(join(project, "greet.sh"), "utf8"));
await agent.close();
rmSync(project, { recursive: true });
