// All checks that must pass before a change lands. `npm test -- WORD` runs only the test files with WORD in their path.
import { inRoot, node, npm } from "./run.js";

const words = process.argv.slice(2);
if (words.length > 0) process.exit(node([inRoot("node_modules/vitest/vitest.mjs"), "run", ...words]));

const steps = ["format:check", "lint", "types", "unit", "integration", "browser", "repository"];
const failed = steps.filter((step) => {
  console.log(`\n== ${step}`);
  const begin = performance.now();
  const status = npm(["run", "--silent", step]);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`== ${step}: ${status === 0 ? "passed" : `FAILED (exit code ${status})`} in ${seconds} s`);
  return status !== 0;
});

if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
console.log(`\nsteps: ${steps.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
