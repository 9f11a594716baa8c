// `npm run crash -- --kills 1000 --seed N` kills processes that run an agent, at every transition and at random, and
// checks the threads they leave. Without --seed it chooses one and prints it. A failure prints how to repeat it.
// `--store postgres` uses a server.
import { inRoot, node } from "./run.js";

const program = inRoot("test/crash/crash-program.ts");

process.exitCode = node(["--conditions=undangle-source", "--no-warnings", program, ...process.argv.slice(2)]);
