import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { diskFiles, stateFiles } from "#files";
import { memoryStore } from "#store";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { describe, expect, test } from "vitest";

import { linesOf, summaryStage, textIn } from "./summary-stage.ts";

const small = { trigger: { messages: 5 }, keep: { messages: 1 } };

test("SU15 after a restart on SQLite the view is the same, byte for byte", async () => {
  const directory = await mkdtemp(join(tmpdir(), "undangle-summary-"));
  try {
    const first = summaryStage({ ...small, store: sqliteStore(join(directory, "agent.db")) });
    for (const text of ["One.", "Two.", "Three."]) await first.say(text);
    await first.say("Four.");
    const before = JSON.stringify(first.requests.at(-1)?.messages);
    await first.agent.close();
    await first.store.close?.();
    const second = summaryStage({
      ...small,
      trigger: { messages: 50 },
      store: sqliteStore(join(directory, "agent.db")),
    });
    await second.say("Five.");
    const after = JSON.stringify(second.requests[0]?.messages);
    expect(after.startsWith(before.slice(0, -1))).toBe(true);
    expect(second.summaries).toEqual([]);
    expect(await second.thread.readFile("/conversation_history/t.md")).toBeDefined();
    await second.agent.close();
    await second.store.close?.();
  } finally {
    await rm(directory, { recursive: true });
  }
});

const program = fileURLToPath(new URL("summarize-until-killed.ts", import.meta.url));

/** What is printed before the process kills itself, or ends. */
const runUntil = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const given = ["--conditions=undangle-source", "--no-warnings", program, ...args];
    execFile(process.execPath, given, (_, stdout) => resolve(stdout));
  });

/** The messages in a history file. */
const passagesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^### \w+\n\n(.*)$/gmu)].map(([, passage = ""]) => passage);

describe("SU15", () => {
  test.each(["disk", "thread"])(
    "a process is killed at any step: files in the %s",
    { timeout: 120_000 },
    async (kind) => {
      let isOver = false;
      let step = 1;
      let summarized = 0;
      for (; !isOver; step++) {
        const folder = await mkdtemp(join(tmpdir(), "undangle-summary-"));
        try {
          isOver = (await runUntil(folder, kind, String(step))) === "done\n";
          const store = sqliteStore(join(folder, "threads.db"));
          const disk = diskFiles(folder);
          const stage = summaryStage({ ...small, store, files: kind === "disk" ? disk : stateFiles() });
          expect(await stage.say("Last.")).toBe("Yes.");
          const view = stage.requests.at(-1)?.messages.map(textIn) ?? [];
          const isSummarized = view[0]?.includes("written by the program") === true;
          if (isSummarized) summarized++;
          const path = "/conversation_history/t.md";
          const read = (): Promise<Uint8Array | undefined> =>
            kind === "disk" ? disk.read(path) : stage.thread.readFile(path);
          const replaced = isSummarized ? passagesIn(new TextDecoder().decode(await read())) : [];
          const kept = isSummarized ? view.slice(1) : view;
          const all = (await stage.thread.export("openai-chat")) as readonly { readonly content: string }[];
          expect([...replaced, ...kept]).toEqual(all.map(({ content }) => content).slice(0, -1)); // without the answer to this view
          expect(stage.events.filter(({ type }) => type === "repair")).toEqual([]);
          await stage.agent.close();
          await store.close();
        } finally {
          await rm(folder, { recursive: true });
        }
      }
      expect(step).toBeGreaterThan(10);
      expect(summarized).toBeGreaterThan(5);
    },
  );

  test("two processes: the one that lost the thread cannot save its boundary", async () => {
    const store = memoryStore();
    const first = summaryStage({
      ...small,
      store,
      answers: [{ text: "Slow summary.", delay: 300 }],
      agentOptions: { limits: { storeWait: 10, steps: 10 } },
    });
    for (const text of ["One.", "Two."]) await first.say(text);
    const slow = first.thread.send("Three.").result;
    const second = summaryStage({ ...small, store, answers: [{ text: "Quick summary." }] });
    await new Promise((resolve) => void setTimeout(resolve, 50));
    await second.say("Other three.").catch(() => undefined); // the thread may belong to the first process
    await slow;
    const last = summaryStage({ ...small, trigger: { messages: 50 }, store });
    await last.say("Last.");
    const lines = linesOf(last.requests.at(-1));
    expect(lines.filter((line) => line.includes("written by the program"))).toHaveLength(1);
    expect(last.events.filter(({ type }) => type === "repair")).toEqual([]);
  });
});
