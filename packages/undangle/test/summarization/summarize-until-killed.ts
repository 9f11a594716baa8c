/**
 * Runs an agent that summarizes, and kills itself at a step: `summarize-until-killed.ts FOLDER KIND STEP`. Steps are counted
 * before and after each summary, each write of a file and each commit of a run with a summary, from 1. Prints `done` if there are fewer.
 */
import { join } from "node:path";

import { createAgent } from "#engine";
import { diskFiles, stateFiles } from "#files";
import { summarization } from "#middleware";
import { scriptedModel } from "#testing";

import { sqliteStore } from "../../src/store/sqlite.ts";

const [folder = "", kind = "", last = ""] = process.argv.slice(2);
let step = 0;
let isCounting = false;

const counted = async <Value>(work: () => Value | Promise<Value>): Promise<Value> => {
  if (isCounting && ++step === Number(last)) process.kill(process.pid, "SIGKILL");
  const value = await work();
  if (isCounting && ++step === Number(last)) process.kill(process.pid, "SIGKILL");
  return value;
};

const store = sqliteStore(join(folder, "threads.db"));
const disk = diskFiles(folder);
const files = { ...disk, write: (path: string, data: Uint8Array) => counted(() => disk.write(path, data)) };
const agent = createAgent({
  model: scriptedModel([{ text: "Yes." }], { loop: true }),
  store: { ...store, commit: (commit) => counted(() => store.commit(commit)) },
  middleware: [
    summarization({
      trigger: { messages: 5 },
      keep: { messages: 1 },
      files: kind === "disk" ? files : stateFiles(),
      model: scriptedModel([() => counted(() => ({ text: "They talked." }))], { loop: true }),
    }),
  ],
});
const said = (role: string, content: string): object => ({ role, content });
const thread = agent.thread("t");
await thread.import([said("user", "One."), said("assistant", "Yes."), said("user", "Two."), said("assistant", "Yes.")]);
for (const text of ["Three.", "Four.", "Five."]) {
  isCounting = text !== "Four.";
  await thread.send(text).result;
}
process.stdout.write("done\n");
process.exit(0);
