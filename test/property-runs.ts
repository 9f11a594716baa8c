/**
 * How long the property tests run. In an ordinary run they take one fixed seed, so that a change is judged by what it
 * changed; `npm run fuzz` takes fresh ones and as much time as it is given. Each property gets the whole limit.
 */
import fc from "fast-check";

const { FUZZ, FUZZ_RUNS, FUZZ_SECONDS, FUZZ_SEED } = process.env;

if (FUZZ) {
  fc.configureGlobal({
    numRuns: FUZZ_RUNS ? Number(FUZZ_RUNS) : Number.MAX_SAFE_INTEGER,
    ...(FUZZ_SEED ? { seed: Number(FUZZ_SEED) } : {}),
  });
  if (FUZZ_SECONDS) fc.installGlobalPlugin(fc.interruptAfterTimeLimit(Number(FUZZ_SECONDS) * 1000));
} else {
  fc.configureGlobal({ seed: 24_301 });
}
