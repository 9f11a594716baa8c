// All checks that must pass before a change lands. `npm test -- WORD` runs only the test files with WORD in their path.
import { stripVTControlCharacters } from "node:util";

import { inRoot, node, npm, npmWithOutput } from "./run.js";

const words = process.argv.slice(2);
if (words.length > 0) process.exit(node([inRoot("node_modules/vitest/vitest.mjs"), "run", ...words]));

/** A log is read from its end, where the failures of all steps are repeated. A terminal is left to the steps. */
const runStep = async (/** @type {string} */ step) =>
  process.stdout.isTTY
    ? { status: npm(["run", "--silent", step]), output: "" }
    : await npmWithOutput(["run", "--silent", step]);

const steps = ["format:check", "lint", "types", "unit", "integration", "browser", "repository"];
const results = [];
for (const step of steps) {
  console.log(`\n== ${step}`);
  const begin = performance.now();
  const { status, output } = await runStep(step);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`== ${step}: ${status === 0 ? "passed" : `FAILED (exit code ${status})`} in ${seconds} s`);
  results.push({ step, status, lines: stripVTControlCharacters(output).trimEnd().split("\n") });
}

const retried = results.flatMap(({ lines }) => lines.filter((line) => line.includes("(retry x")));
if (retried.length > 0) console.log(`\nPassed only at the second attempt:\n${retried.join("\n")}`);

const failed = results.filter(({ status }) => status !== 0);
for (const { step, lines } of failed)
  console.log(`\n== the end of ${step}, which failed\n${lines.slice(-80).join("\n")}`);
if (failed.length > 0) console.log(`\nFailed: ${failed.map(({ step }) => step).join(", ")}`);
console.log(`\nsteps: ${steps.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
