// An agent on SQLite: two calls wait for a person, the process "dies", another one goes on.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, tool } from "undangle/agent";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";

const folder = mkdtempSync(join(tmpdir(), "undangle-"));
const path = join(folder, "agent.db");

const deleteFile = tool({
  name: "delete_file",
  description: "Deletes a file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  approval: true,
  execute: ({ path: name }) => `${name} is gone.`,
});

const proposing = scriptedModel([
  {
    text: "These two can go.",
    calls: [
      { name: "delete_file", arguments: { path: "old.log" } },
      { name: "delete_file", arguments: { path: "notes.md" } },
    ],
  },
]);
const before = createAgent({ model: proposing, tools: [deleteFile], store: sqliteStore(path) });
const { status } = await before.thread("cleaning").send("Tidy up.").result;
console.log(status);
await before.close();

// Another process, another day.
const store = sqliteStore(path);
const answering = scriptedModel([{ text: "I deleted old.log and kept your notes." }]);
const after = createAgent({ model: answering, tools: [deleteFile], store });
const thread = after.thread("cleaning");
const [log, notes] = await thread.pending();
if (log === undefined || notes === undefined) throw new Error("Two calls should wait.");
const run = thread.decide(
  { [log.id]: { type: "approve" }, [notes.id]: { type: "reject", reason: "I still need them." } },
  { by: "ops" },
);
console.log((await run.result).text);
console.log(JSON.stringify(await thread.history("openai-chat"), null, 2));
await after.close();
await store.close();
rmSync(folder, { recursive: true });
