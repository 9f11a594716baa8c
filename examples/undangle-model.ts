// A server that sends its call twice, and the middleware that lets an agent run it once.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { undangleModel } from "undangle/ai-sdk";
import { wireServer, type FaultName } from "undangle/testing";
import { z } from "zod";

/** Asks a model whose first answer is damaged in one of the ways that servers are known for. */
async function pay(fault: FaultName, { isWrapped }: { isWrapped: boolean }): Promise<void> {
  const server = await wireServer({
    turns: [
      { calls: [{ name: "pay", arguments: { euros: 20, to: "the baker" } }], faults: [fault] },
      { text: "It is paid." },
    ],
  });
  const bare = createOpenAICompatible({ name: "some", baseURL: server.baseUrl("openai-chat") })("some-model");
  const middleware = undangleModel({
    logger: false,
    onRepair: ({ anomalies = [] }) => console.log(`  (mended: ${anomalies.map(({ kind }) => kind).join()})`),
  });
  const result = streamText({
    model: isWrapped ? wrapLanguageModel({ model: bare, middleware }) : bare,
    prompt: "Pay the baker.",
    tools: {
      pay: tool({
        inputSchema: z.object({ euros: z.number(), to: z.string() }),
        execute: ({ euros, to }) => {
          console.log(`  ${euros} € to ${to}`);
          return "done";
        },
      }),
    },
    stopWhen: stepCountIs(2),
    onError: ({ error }) => console.log(`  ${String(error).slice(0, 100)}`),
  });
  await result.consumeStream();
  await server.close();
}

console.log("A call that is sent twice, without the middleware:");
await pay("arguments-resent", { isWrapped: false });
console.log("and with it:");
await pay("arguments-resent", { isWrapped: true });
console.log("Arguments of which every piece repeats the ones before, without it:");
await pay("arguments-cumulative", { isWrapped: false });
console.log("and with it:");
await pay("arguments-cumulative", { isWrapped: true });
