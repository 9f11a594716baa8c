// What `npm start` shows: the doctor at work on a sample history with three common kinds of damage.
import { inRoot, node } from "./run.js";

const sample = "examples/broken-history.json";

console.log(`
A travel agent's conversation (${sample}, an OpenAI chat body) was interrupted, trimmed and
resumed. A provider would refuse it with a 400. This is what \`undangle doctor\` says about it:
`);

const status = node([inRoot("bin/undangle.js"), "doctor", sample]);

// The doctor exits with 1 when it finds problems, and here it is meant to.
if (status > 1) process.exit(status);

console.log(`
Try next:
  npx undangle doctor ${sample} --language zh     the same in Chinese
  npx undangle repair ${sample} -o mended.json    write the mended history
  npx undangle explain "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"
  npx undangle --help
`);
