import { createBubblewrap } from "../../src/files/sandbox/create-bubblewrap.ts";

/** Runs commands in a sandbox until this process is killed: `node run-until-killed.ts ROOT COMMAND`. */
const [root = "", command = ""] = process.argv.slice(2);
const sandbox = createBubblewrap(root);
await sandbox.canExecute();
process.stdout.write("ready\n");
const { signal } = new AbortController();
for (;;) await sandbox.execute(command, { signal });
