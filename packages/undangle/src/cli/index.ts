import { main } from "./main.ts";
import { nodeIo } from "./node/node-io.ts";

export { cliReference } from "./cli-reference.ts";
export type { Files, Input, Io, Output, Replacement } from "./io.ts";
export { main } from "./main.ts";
export { nodeIo } from "./node/node-io.ts";

/** Runs a command line in this process. Resolves to its exit code. */
export const run = (argv: readonly string[]): Promise<number> => main(argv, nodeIo());
