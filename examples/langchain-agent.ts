// An agent of LangChain on a thread with a call that was never answered: refused by the server, and taken after one line.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { check } from "undangle";
import { undangle } from "undangle/langchain";

// Stands for the API: it refuses what OpenAI refuses, in OpenAI's words.
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const [problem] = check(JSON.parse(text), { format: "openai-chat" });
    const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${problem?.callId}`;
    const choices = [
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Bergen: 7 °C, rain." } },
    ];
    response.writeHead(problem ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(problem ? { error: { message } } : { id: "1", object: "chat.completion", choices }));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

const model = new ChatOpenAI({
  model: "gpt-4o",
  apiKey: "not needed here",
  maxRetries: 0,
  configuration: { baseURL: `http://127.0.0.1:${port}/v1` },
});

const messages = [
  new HumanMessage("What is the weather in Oslo?"),
  new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: "get_weather", args: { city: "Oslo" } }] }),
  new HumanMessage("Never mind. And in Bergen?"), // came in before the tool had answered
];

try {
  await createAgent({ model, tools: [] }).invoke({ messages });
} catch (error) {
  console.log(`Without: ${(error as Error).message}`);
}

const agent = createAgent({
  model,
  tools: [],
  middleware: [undangle({ onRepair: (edits) => console.log(`Repaired: ${edits.map(({ rule }) => rule).join(", ")}`) })],
});
const { messages: after } = await agent.invoke({ messages });
console.log(`With: ${after.at(-1)?.text}`);
server.close();
