// A coding agent with a plan mode: it reads a project and proposes a plan, which a person reads before anything changes.
// Then edits run without further decisions, and a deletion still waits.
//
// A scripted model stands for a real one. With `anthropic("…")` of `undangle/models`, the plan and the edits are those of
// the model. What it can do in each mode stays the same: the engine decides that, not the model.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeepAgent } from "undangle/agent";
import { diskFiles } from "undangle/files";
import { scriptedModel } from "undangle/testing";

const project = mkdtempSync(join(tmpdir(), "undangle-project-"));
writeFileSync(join(project, "price.js"), "export const price = (net) => net * 1.16;\n");
writeFileSync(join(project, "price.old.js"), "// unused\n");

const call = (name: string, input: Record<string, unknown> = {}) => ({ name, arguments: input });
const edit = call("edit_file", { file_path: "/price.js", old_string: "1.16", new_string: "1.19" });
const model = scriptedModel([
  // The run in plan mode. The model tries an edit, although the tool is not offered.
  { calls: [call("grep", { pattern: "1.16" }), call("ls")] },
  { calls: [edit] },
  { text: "1. Replace 1.16 by 1.19 in /price.js.\n2. Delete /price.old.js, which is not used." },
  // The run that accepts edits.
  { calls: [edit, call("delete", { file_path: "/price.old.js" })] },
  { text: "The rate is 19 %. You kept /price.old.js." },
]);
const agent = createDeepAgent({
  model,
  instructions: "You maintain a small project.",
  files: diskFiles(project),
  approvals: [{ tools: ["write_file", "edit_file", "delete"] }],
});
const thread = agent.thread("tax");
const price = (): string => readFileSync(join(project, "price.js"), "utf8").trim();

const plan = await thread.send("The tax is 19 % now. What would you change?", { mode: "plan" }).result;
const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
console.log(`Tools in plan mode: ${offered.join(", ")}`);
const refused = (await thread.calls()).find(({ name }) => name === "edit_file");
console.log(`edit_file in plan mode: ${refused?.status}. The file: ${price()}`);
console.log(`The plan:\n${plan.text}\n`);

// A person has read the plan.
let end = await thread.send("Do it.", { mode: "accept-edits" }).result;
console.log(`The file: ${price()}`);
console.log(`${end.status}: ${end.pending.map(({ name }) => name).join(", ")}`);
end = await thread.rejectAll("Keep it for now.", { by: "example" }).result;
console.log(end.text, existsSync(join(project, "price.old.js")));
await agent.close();
rmSync(project, { recursive: true });
