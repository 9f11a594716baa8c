import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Before the repository's tests: some of them look at what is published, so it has to be built. A build that fails
 * says why and stops nobody: the tests that need it fail, the others still tell something.
 */
export function setup(): void {
  const script = fileURLToPath(new URL("../scripts/setup.js", import.meta.url));
  spawnSync(process.execPath, [script], { stdio: "inherit" });
}
