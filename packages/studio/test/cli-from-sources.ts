/** A program: the command line of `undangle` from its sources, for tests that start it with `from-sources.ts`. */
import { run } from "../../undangle/src/cli/index.ts";

process.exit(await run(process.argv.slice(2)));
