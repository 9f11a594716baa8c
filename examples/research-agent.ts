// A research agent: it plans, delegates two questions to sub-agents that work at the same time, and writes a report from
// the notes that they leave in files. One sub-agent wants to buy a study, which waits for an approval.
//
// Scripted models stand for real ones. With `anthropic("…")` of `undangle/models` in both places, the model decides how
// many tasks there are, what it searches and what it writes. The rest of the program stays as it is.
import { createDeepAgent, tool } from "undangle/agent";
import type { ScriptedTurn } from "undangle/testing";
import { scriptedModel } from "undangle/testing";

const articles: Readonly<Record<string, string>> = {
  tea: "A cup of tea has 20 to 60 mg of caffeine.",
  coffee: "A cup of coffee has about 95 mg of caffeine. A study with measurements costs 12 euros.",
};
const topicInput = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] } as const;
const search = tool({
  name: "search",
  description: "Searches articles.",
  input: topicInput,
  annotations: { readOnly: true },
  execute: ({ topic }) => articles[topic] ?? "Nothing was found.",
});
const buyStudy = tool({
  name: "buy_study",
  description: "Buys a study. It costs money.",
  input: topicInput,
  approval: true,
  execute: ({ topic }) => `Study on ${topic}: 92 mg on average, 400 cups measured.`,
});

const call = (name: string, input: Record<string, unknown>) => ({ name, arguments: input });
const note = (topic: string, content: string): ScriptedTurn => ({
  calls: [call("write_file", { file_path: `/notes/${topic}.md`, content })],
});
const research: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  tea: [{ calls: [call("search", { topic: "tea" })] }, note("tea", "20 to 60 mg\n"), { text: "See /notes/tea.md." }],
  coffee: [
    { calls: [call("search", { topic: "coffee" })] },
    { calls: [call("buy_study", { topic: "coffee" })] },
    note("coffee", "92 mg, from a study\n"),
    { text: "See /notes/coffee.md." },
  ],
};
/** Plays the turns of several tasks at once: the task is the first message, and its turns so far are in the request. */
const researcher = scriptedModel(
  [
    ({ messages }) => {
      const topic = JSON.stringify(messages[0]).includes("tea") ? "tea" : "coffee";
      return research[topic]?.[messages.filter(({ role }) => role === "assistant").length] ?? { text: "Done." };
    },
  ],
  { loop: true },
);
const task = (topic: string) =>
  call("task", { description: `How much caffeine does ${topic} have?`, subagent_type: "researcher" });
const lead = scriptedModel([
  { calls: [call("write_todos", { todos: [{ content: "Compare tea and coffee", status: "in_progress" }] })] },
  { calls: [task("tea"), task("coffee")] },
  { calls: ["tea", "coffee"].map((topic) => call("read_file", { file_path: `/notes/${topic}.md` })) },
  { calls: [call("write_file", { file_path: "/report.md", content: "Tea: 20 to 60 mg. Coffee: 92 mg.\n" })] },
  { text: "The report is in /report.md." },
]);

const agent = createDeepAgent({
  model: lead,
  instructions: "You compare products.",
  tools: [search, buyStudy], // the sub-agent has them too, and the same approvals
  subagents: [
    {
      name: "researcher",
      description: "Answers one question, and saves notes in /notes.",
      instructions: "Search first. Save what you found in /notes, and reply with the path.",
      model: researcher, // without it, the model of the agent
    },
  ],
});
const thread = agent.thread("caffeine");
const run = thread.send("Compare the caffeine of tea and coffee.");
for await (const { type, data, path } of run)
  if (type === "tool_call_running") console.log(`${path === undefined ? "" : "  "}${data.id} ${data.name}`);

const { status, pending } = await run.result;
console.log(
  status,
  pending.map((waiting) => waiting.path),
);
const [study] = pending;
if (study === undefined) throw new Error("A call should wait.");
const end = await thread.decide({ [study.id]: { type: "approve" } }, { by: "example" }).result;
console.log(end.text);
for (const { path } of await thread.files())
  console.log(`${path}: ${new TextDecoder().decode(await thread.readFile(path)).trimEnd()}`);
await agent.close();
