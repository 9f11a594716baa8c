/**
 * Runs an agent whose tools return long results, and kills itself at a step: `evict-until-killed.ts FOLDER KIND STEP`. Steps
 * are counted before and after each write of a file and each commit, from 1. Prints `done` if there are fewer.
 */
import { join } from "node:path";

import { createAgent, tool } from "#engine";
import { diskFiles, stateFiles } from "#files";
import type { FileBackend } from "#files";
import { filesystem } from "#middleware";
import { scriptedModel } from "#testing";

import { sqliteStore } from "../../src/store/sqlite.ts";

const [folder = "", kind = "", last = ""] = process.argv.slice(2);
let step = 0;

const counted = async <Value>(work: () => Promise<Value>): Promise<Value> => {
  if (++step === Number(last)) process.kill(process.pid, "SIGKILL");
  const value = await work();
  if (++step === Number(last)) process.kill(process.pid, "SIGKILL");
  return value;
};

const countedFiles = (files: FileBackend): FileBackend => ({
  ...files,
  write: (path, data) => counted(() => files.write(path, data)),
});

const store = sqliteStore(join(folder, "threads.db"));
const state = stateFiles();
const backend = kind === "disk" ? countedFiles(diskFiles(folder)) : state;
const long = tool({ name: "long", description: "", execute: () => `${"x".repeat(50)}\n`.repeat(2_000) });
const agent = createAgent({
  model: scriptedModel([
    { calls: [{ name: "long" }, { name: "long" }] },

    { text: "Done." },
  ]),
  store: { ...store, commit: (commit) => counted(() => store.commit(commit)) },
  tools: [long],
  middleware: [filesystem({ backend })],
});
await agent.thread("t").send("Go.").result;
process.stdout.write("done\n");
process.exit(0);
