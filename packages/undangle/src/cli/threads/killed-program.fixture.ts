// Runs an agent in the store of a folder until somebody kills it: in the middle of tools, or of an answer.
import process from "node:process";

import { openStore } from "#config";
import { createAgent, tool } from "#engine";
import { scriptedModel } from "#testing";

const [, , folder = "", id = "", names = ""] = process.argv;
const store = await openStore(undefined, { folder });
const calls = names.split(",").filter(Boolean);
const never = new Promise<never>(() => setInterval(() => undefined, 1000));
const say = (): unknown => process.stdout.write("running\n");

const agent = createAgent({
  store,
  limits: { parallel: 1 },
  model: scriptedModel([
    calls.length === 0
      ? async () => {
          say();
          return never;
        }
      : {
          text: "So be it.",
          calls: calls.map((name) => ({ name, arguments: name === "own_tool" ? { why: "test" } : {} })),
        },
  ]),
  tools: ["pay_invoice", "delete_mail", "get_time", "own_tool"].map((name) =>
    tool({
      name,
      description: "Waits for ever.",
      input: { type: "object" },
      idempotent: name === "get_time",
      approval: name === "delete_mail",
      execute() {
        say();
        return never;
      },
    }),
  ),
});
await agent.thread(id).send("Do it.").result;
