// `npm run fuzz` runs the property tests with fresh seeds, each for FUZZ_SECONDS (60) or for FUZZ_RUNS cases.
// `npm run fuzz -- WORD` takes only the files with WORD in their path. FUZZ_SEED repeats a reported failure.
// FUZZ_RUNS=10000 npm run fuzz -- wrap-fetch-random plays that many random conversations; FUZZ_CONVERSATION repeats one.
import { inRoot, node } from "./run.js";

const { FUZZ_SECONDS, FUZZ_RUNS } = process.env;
const limits = FUZZ_SECONDS === undefined && FUZZ_RUNS === undefined ? { FUZZ_SECONDS: "60" } : {};
const words = process.argv.slice(2);
const vitest = inRoot("node_modules/vitest/vitest.mjs");

process.exitCode = node([vitest, "run", ...words], { ...limits, FUZZ: "1" });
