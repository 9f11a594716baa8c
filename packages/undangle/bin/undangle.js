#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { refuseOldNode } from "./node-version.js";

const refusal = refuseOldNode(process.versions.node, process.argv.slice(2), process.env);
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 2;
} else if (existsSync(new URL("../dist/cli/index.js", import.meta.url))) {
  // Caches compiled code for the next start. Not in the directory for temporary files, where another user could place
  // code. If the folder is not writable, Node compiles as usual.
  module.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "undangle"));
  const { run } = await import("#cli");
  // All output is written. Resources that a configuration has opened, such as a pool or a timer, would keep the process
  // alive.
  process.exit(await run(process.argv.slice(2)));
} else {
  // Only a checkout can lack dist. The published package always contains it.
  process.stderr.write("undangle: not built yet. Run `npm start` or `npm run build` once in this checkout.\n");
  process.exitCode = 2;
}
