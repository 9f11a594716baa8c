// An agent with the tools of an MCP server over stdio: one runs at once, one waits for a person. It needs no key.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createAgent, mcpTools } from "undangle/agent";
import { demoModel } from "undangle/models";

async function connect() {
  const client = new Client({ name: "example", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: "npx",
    args: ["-y", "@modelcontextprotocol/server-everything"],
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
}

const tools = await mcpTools(await connect(), {
  connect, // again, should the server go away
  only: ["get-sum", "echo"],
  approval: { echo: true },
});
const agent = createAgent({ model: demoModel({ pace: 0 }), tools: [tools] });
const thread = agent.thread("mcp");

const { pending } = await thread.send("Get the sum of 2 and 3, and echo the message 'hello'.").result;
for (const { id, status, name, result } of await thread.calls()) console.log(id, name, status, result ?? "");
for (const { id, name, arguments: args } of pending) console.log(`${id} waits: ${name} ${JSON.stringify(args)}`);

console.log((await thread.approveAll({ by: "me" }).result).text);
await tools.close();
await agent.close();
