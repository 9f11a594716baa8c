// What `npm start` opens: the terminal chat, with a demo model that needs no key. Where nobody sits at a terminal, in a pipe or in
// CI, the same story is told by three commands.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRoot, node } from "./run.js";

const program = inRoot("bin/undangle.js");
const sample = "examples/broken-history.json";

const status = process.stdin.isTTY && process.stdout.isTTY ? node([program, "chat"]) : tellStory();
if (status !== 0) process.exit(status);

console.log(`
Try next:
  npx undangle chat --thread last                    go on where you left off
  npx undangle chat --model openai/gpt-5.1           with a model of a provider; its key is in the environment
  npx undangle doctor ${sample}   what is wrong with a history that a provider refuses
  npx undangle --help
`);

/** A message, calls that wait for a person, and a person who approves one and rejects the other. */
function tellStory() {
  const folder = mkdtempSync(join(tmpdir(), "undangle-start-"));
  const kept = ["--store", join(folder, "threads.db"), "--model", "demo"];
  const message = "Read my mail, pay invoice 12 (300 euros) and delete all mail.";
  try {
    console.log(`An agent with pretend tools, and a demo model that needs no key. Somebody says: ${message}\n`);
    const waiting = node([program, "chat", "--thread", "story", "--quiet", ...kept, message]);
    if (waiting !== 3) return waiting || 1; // two calls have to wait for a decision
    console.log("\nOne call is approved, the other rejected:\n");
    const decisions = ["--approve", "call_2", "--reject", "call_3=I keep my mail"];
    return node([program, "threads", "decide", "story", ...decisions, ...kept]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
