// A support agent that remembers its customers: what it learns in one conversation is in the next one, also with another
// persona. Each customer has a memory of its own, in the store and not in a thread.
//
// A scripted model stands for a real one. It decides by what it reads in its instructions, as a real model does, but with
// fixed sentences. With a real model, replace `script` by `anthropic("…")` of `undangle/models`, and use
// `sqliteStore("support.db")`, so that the memory survives the process.
import { createDeepAgent, memoryStore } from "undangle/agent";
import type { ModelRequest } from "undangle/agent";
import { compositeFiles, stateFiles, storeFiles } from "undangle/files";
import { scriptedModel } from "undangle/testing";

const memoryPath = "/memories/customer.md";
const store = memoryStore();
/** Threads are named "customer:number". A task of a sub-agent has the id of its thread, and more after it. */
const customerOf = (threadId: string): string => threadId.split(":")[0] ?? threadId;
const memories = storeFiles({ store, namespace: ({ threadId }) => ["customers", customerOf(threadId)] });
const files = compositeFiles(stateFiles(), { "/memories": memories }); // drafts stay in the thread

const personas = {
  day: "You are Mia of the support team. You are warm and use complete sentences.",
  night: "You are the night desk. Reply in one short sentence.",
};

const systemOf = ({ system }: ModelRequest): string => system.map(({ text }) => text).join("");
const writeMemory = (content: string) => ({
  calls: [{ name: "write_file", arguments: { file_path: memoryPath, content } }],
});
const script = scriptedModel(
  [
    (request) => {
      const { messages } = request;
      const said = JSON.stringify(messages.findLast(({ role }) => role === "user"));
      const isNight = systemOf(request).includes("night desk");
      if (said.includes("by mail")) {
        if (messages.at(-1)?.role === "tool") return { text: "Thank you. I will remember that you prefer mail." };
        return writeMemory("- Prefers mail to phone calls.\n");
      }
      if (!systemOf(request).includes("Prefers mail")) return { text: "Shall we call you, or write?" };
      return { text: isNight ? "We will mail you." : "We will write you a mail as soon as we know more." };
    },
  ],
  { loop: true },
);

const supportAgent = (persona: keyof typeof personas) =>
  createDeepAgent({
    name: persona,
    model: script,
    store,
    files,
    memory: [memoryPath],
    instructions: `${personas[persona]} Save what stays true about a customer in ${memoryPath}.`,
    // permissions: [{ operations: ["write"], paths: ["/memories/**"], mode: "ask" }] lets a person approve what it saves
    without: ["todos", "subagents"], // short conversations need neither
    guidance: "",
  });

const day = supportAgent("day");
const night = supportAgent("night");
const talk = async (agent: typeof day, id: string, text: string): Promise<void> => {
  const reply = await agent.thread(id).send(text).result;
  console.log(`${id} > ${text}\n  ${reply.text}`);
};
await talk(day, "ada:1", "Where is my parcel?");
await talk(day, "ada:1", "Please answer by mail, I am never at home.");
await talk(day, "ada:2", "My parcel is damaged."); // another conversation
await talk(night, "ada:3", "Any news?"); // another persona
await talk(night, "bob:1", "Any news?"); // another customer

const saved = await store.sharedFile("customers/ada", "/customer.md");
console.log(`In the memory of ada: ${new TextDecoder().decode(saved?.data).trimEnd()}`);
await Promise.all([day.close(), night.close()]);
await store.close();
