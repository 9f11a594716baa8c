// One thread, three providers: an agent that goes on with another model in the middle of its work.
import { createAgent, tool } from "undangle/agent";
import { anthropic, gemini, openai } from "undangle/models";
import { memoryStore } from "undangle/store/memory";
import { wireServer, type WireServer } from "undangle/testing";

// Servers on this machine that are as strict as the providers. With keys in the environment, leave `at()` out.
const servers: WireServer[] = [];
async function at(format: "openai-responses" | "anthropic" | "gemini", answer: string) {
  const server = await wireServer({
    turns: [
      {
        reasoning: `Let me think as ${format} does.`,
        seal: `gAAAAABm${"x".repeat(60)}`, // by which only its provider knows these thoughts again
        calls: [{ name: "look_up", arguments: { word: answer } }],
      },
      { text: answer },
    ],
  });
  servers.push(server);
  return { baseURL: server.baseUrl(format), apiKey: "none" };
}

const lookUp = tool({
  name: "look_up",
  description: "Looks a word up.",
  input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  execute: ({ word }) => `${word}: it is in the dictionary`,
});

const models = [
  openai("gpt-5.1", await at("openai-responses", "First")),
  anthropic("claude-sonnet-5-5", await at("anthropic", "Second")),
  gemini("gemini-2.5-flash", await at("gemini", "Third")),
];

const store = memoryStore();
for (const model of models) {
  const thread = createAgent({ model, tools: [lookUp], store }).thread("words");
  const { status, text } = await thread.send("Find me a word.").result;
  console.log(`${model.name}: ${status}, ${text}`);
}

for (const { requests } of servers) {
  const refused = requests.filter((request) => request.refused !== undefined).length;
  console.log(`${requests.length} requests, ${refused} refused, ${JSON.stringify(requests.at(-1)?.body).length} bytes`);
}
await Promise.all(servers.map((server) => server.close()));
