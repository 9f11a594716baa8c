// An agent on Postgres: two calls wait for a person; another process decides about one, a third one about the other.
// It uses the database that DATABASE_URL names. Without one, it starts the Postgres that the tests of this repository use.
import { Pool } from "pg";
import { createAgent, tool } from "undangle/agent";
import { postgresStore } from "undangle/store/postgres";
import { scriptedModel } from "undangle/testing";

const server = process.env["DATABASE_URL"] === undefined ? await startTestPostgres() : undefined;
const connectionString = server?.url ?? process.env["DATABASE_URL"];

const refund = tool({
  name: "refund",
  description: "Gives a customer the money back.",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  approval: true,
  execute: ({ order }) => `${order} is refunded.`,
});

/** What a process does with the threads in the database. */
async function inProcess<Value>(
  model: ReturnType<typeof scriptedModel>,
  work: (agent: ReturnType<typeof createAgent>) => Promise<Value>,
) {
  const store = postgresStore(new Pool({ connectionString }), { schema: "undangle_example", endPool: true });
  const agent = createAgent({ model, tools: [refund], store });
  await agent.recover();
  const value = await work(agent);
  await agent.close();
  await store.close();
  return value;
}

const id = `complaints ${Date.now()}`;
const asking = scriptedModel([
  {
    text: "I would refund both.",
    calls: [
      { name: "refund", arguments: { order: "A-17" } },
      { name: "refund", arguments: { order: "B-4" } },
    ],
  },
]);
console.log(
  await inProcess(asking, async (agent) => (await agent.thread(id).send("Two complaints came in.").result).status),
);

// Another process, perhaps on another machine.
const first = await inProcess(scriptedModel([]), async (agent) => {
  const thread = agent.thread(id);
  const [call] = await thread.pending();
  if (call === undefined) throw new Error("Two calls should wait.");
  return (await thread.decide({ [call.id]: { type: "approve" } }, { by: "Ada" }).result).status;
});
console.log(first);

// And a third one, with the last decision: now the model is asked again.
const answering = scriptedModel([{ text: "A-17 is refunded, B-4 is not." }]);
await inProcess(answering, async (agent) => {
  const thread = agent.thread(id);
  console.log((await thread.rejectAll("It was our last one.", { by: "Bob" }).result).text);
  console.log(JSON.stringify(await thread.history("openai-chat"), null, 2));
});
await server?.close();

async function startTestPostgres() {
  const { startServer } = await import("../packages/undangle/test/postgres/start-server.ts");
  return startServer();
}
