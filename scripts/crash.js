// `npm run crash -- --kills 1000 --seed N` kills processes that run an agent, at every transition and at random, and checks
// what they leave. Without --seed it takes a fresh one, and says which. A failure says how to repeat it. `--store postgres`
// does it on a server.
import { inRoot, node } from "./run.js";

const program = inRoot("test/crash/crash-program.ts");

process.exitCode = node(["--conditions=undangle-source", "--no-warnings", program, ...process.argv.slice(2)]);
