import { createDeepAgent, summarization, tool } from "undangle/agent";
import { memoryFiles } from "undangle/files";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireRequest } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { families } from "../models/families.ts";
import type { Family } from "../models/families.ts";
import { toolNames } from "./random-turns.ts";

const turns = 30;
const summaryText = "SUMMARY OF EARLIER TURNS";

const lookUp = tool({
  name: "look_up",
  description: "Looks something up.",
  input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const,
  execute: ({ title }) => `All about ${title}. `.repeat(title.endsWith("9") ? 6_000 : 1), // a long result is evicted
});

/** What the model does in each turn, after which it responds with text. */
function callsOf(turn: number): NonNullable<ScriptedTurn["calls"]> {
  const path = `/notes/${turn}.md`;
  const status = turn % 2 === 0 ? "pending" : "completed";
  return (
    [
      [{ name: "write_todos", arguments: { todos: [{ content: `turn ${turn}`, status }] } }],
      [
        { name: "write_file", arguments: { file_path: path, content: `note ${turn}\n` } },
        { name: "look_up", arguments: { title: `„${turn}“` } },
      ],
      [{ name: "task", arguments: { description: `Task ${turn}`, subagent_type: "general-purpose" } }],
      [{ name: "read_file", arguments: { file_path: "/notes/1.md" } }],
      [{ name: "look_up", arguments: { title: `number ${turn}` } }],
    ][turn % 5] ?? []
  );
}

/** The requests of the parent in a conversation of 30 turns, as they were sent. */
async function requestsOf({ format, provider, make }: Family, isSummarized: boolean): Promise<readonly WireRequest[]> {
  let asked = 0;
  let summaries = 0;
  const server = await wireServer({
    turns(request) {
      const offered = toolNames(request.body);
      if (offered.length === 0) return { text: `${summaryText} ${++summaries}.` };
      if (!offered.includes("task")) return { text: "The task is done." };
      const turn = Math.floor(asked / 2);
      return asked++ % 2 === 0
        ? { text: turn % 3 === 0 ? "" : "I work.", calls: callsOf(turn) }
        : { text: `Turn ${turn} is done.` };
    },
    ...(provider !== undefined && { provider }),
  });
  try {
    const files = memoryFiles();
    await files.write("/AGENTS.md", new TextEncoder().encode("The user likes tea. 用户喜欢茶。"));
    const skill = "---\nname: sums\ndescription: Adds numbers.\n---\nAdd.";
    await files.write("/skills/sums/SKILL.md", new TextEncoder().encode(skill));
    const agent = createDeepAgent({
      name: "worker",
      model: make(server.baseUrl(format)),
      instructions: "You are Ada.",
      files,
      memory: ["/AGENTS.md"],
      skills: ["/skills"],
      tools: [lookUp],
      ...(isSummarized && {
        middleware: [summarization({ files, trigger: { messages: 30 }, keep: { messages: 6 } })],
      }),
    });
    const thread = agent.thread("t");
    for (let turn = 0; turn < turns; turn++) {
      const { status, text, error } = await thread.send(`Do part ${turn}. 请做第 ${turn} 部分。`).result;
      expect([turn, status, text, error]).toEqual([turn, "done", `Turn ${turn} is done.`, undefined]);
    }
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    return server.requests.filter(({ body }) => toolNames(body).includes("task"));
  } finally {
    await server.close();
  }
}

/** A body without cache markers. A list of one text block is the same as the text. */
function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === "content" ? plain(inner) : withoutMarkers(inner)]),
  );
}

function plain(content: unknown): unknown {
  const clean = withoutMarkers(content);
  const [only, ...others] = Array.isArray(clean) ? (clean as readonly unknown[]) : [];
  if (others.length > 0 || typeof only !== "object" || only === null || !("text" in only)) return clean;
  return "type" in only && only.type === "text" ? only.text : clean;
}

/** The bytes around the list of messages, which contain system text and tools, and those of the list without its end. */
function partsOf({ body }: WireRequest) {
  const clean = withoutMarkers(body) as WireRequest["body"]; // of the same shape
  const key = ["messages", "input", "contents"].find((each) => each in clean) ?? "";
  const { [key]: messages, ...others } = clean;
  const list = JSON.stringify(messages);
  const summary = /SUMMARY OF EARLIER TURNS (\d+)/u.exec(list)?.[1];
  return { around: JSON.stringify(others), list: list.slice(0, -1), summary };
}

describe("the requests of a deep agent in 30 turns with tools", () => {
  test.each(families)("PC8, DA5: each begins with the one before it: $name", async (family) => {
    const requests = (await requestsOf(family, false)).map(partsOf);
    expect(requests.length).toBe(2 * turns);
    for (const [n, { around, list }] of requests.entries()) {
      const next = requests[n + 1];
      if (next === undefined) break;
      expect(next.around).toBe(around);
      expect(next.list.slice(0, list.length)).toBe(list);
      expect(next.list.length).toBeGreaterThan(list.length);
    }
  });

  test.each(families)("SU18: only a new summary changes what was sent before: $name", async (family) => {
    const requests = (await requestsOf(family, true)).map(partsOf);
    for (const [n, { around, list, summary }] of requests.slice(1).entries()) {
      const before = requests[n];
      expect(around).toBe(before?.around);
      expect(list.startsWith(before?.list ?? "")).toBe(summary === before?.summary);
    }
    const summaries = Number(requests.at(-1)?.summary);
    expect(summaries).toBeGreaterThan(2);
    expect(summaries).toBeLessThan(12); // far fewer than requests
  });
});
