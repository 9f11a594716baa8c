import { createAgent, defineMiddleware, image, tool } from "#engine";
import type { AnyTool, Middleware } from "#engine";
import { memoryFiles } from "#files";
import type { FileBackend } from "#files";
import { filesystem } from "#middleware";
import type { FilesystemOptions } from "#middleware";
import { scriptedModel } from "#testing";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { onFiles, textIn } from "./file-stage.ts";
import type { FileStage } from "./file-stage.ts";

const returning = (value: unknown, name = "report"): AnyTool =>
  tool({ name, description: "Reports.", execute: () => value });

/** Runs a tool that returns this. */
const evicted = async (
  value: unknown,
  options: Partial<FilesystemOptions> & { readonly backend?: FileBackend } = {},
): Promise<FileStage> => onFiles({ ...options, turns: [[["report"]]], agent: { tools: [returning(value)] } });

const manyLines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1} ${"x".repeat(90)}`).join("\n");

describe("results", () => {
  test("EV1 exactly the limit is kept, one more is stored", async () => {
    expect((await evicted("x".repeat(80_000))).results[0]).toBe("x".repeat(80_000));
    expect(String((await evicted("x".repeat(80_001))).results[0])).toMatch(/^The result has 80001 characters/u);
  });

  test("EV3 the note has the beginning and the end, with the numbers of read_file", async () => {
    const text = manyLines(1000);
    const backend = memoryFiles();
    const { results } = await evicted(text, { backend });
    const [head = "", , ...rows] = String(results[0]).split("\n");
    expect(head).toBe(
      "The result has 99892 characters, too many to show. It is stored in /large_tool_results/call_1. Read it in parts with read_file, or search it. Its last line has no line end. Its beginning and end:",
    );
    expect(rows.map((row) => row.slice(0, 15))).toEqual([
      "   1  line 1 xx",
      "   2  line 2 xx",
      "   3  line 3 xx",
      "   4  line 4 xx",
      "   5  line 5 xx",
      "… [990 lines no",
      " 996  line 996 ",
      " 997  line 997 ",
      " 998  line 998 ",
      " 999  line 999 ",
      "1000  line 1000",
    ]);
    expect(await textIn(backend, "/large_tool_results/call_1")).toBe(text);
  });

  test("EV3 unusual line separators do not count as lines", async () => {
    const text = `${"a\u2028b\v\f".repeat(20_000)}\nend`;
    const rows = String((await evicted(text)).results[0])
      .split("\n")
      .slice(2);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toBe("2  end");
  });

  test("EV3 one long line shows its beginning and its end, and what is missing", async () => {
    const { results } = await evicted(`${"a".repeat(45_000)}${"b".repeat(45_000)}`);
    expect(String(results[0])).toMatch(/\n1 {2}a{1000}… \[88000 more characters\] … b{1000}$/u);
  });

  test("EV2 other tools of the middleware are never stored, execute is", async () => {
    const long = "x".repeat(90_000);
    const backend: FileBackend = {
      ...memoryFiles({ "/f": long }),
      execute: async () => ({ output: new TextEncoder().encode(long), omitted: 0, exitCode: 0 }),
    };
    const { results } = await onFiles({
      backend,
      turns: [
        [
          ["read_file", { file_path: "/f" }],
          ["execute", { command: "x" }],
        ],
      ],
    });
    expect(String(results[0])).toMatch(/^ {2}1 {2}x|^ *1 {2}x/u);
    expect(String(results[1])).toMatch(/stored in \/large_tool_results\/call_2/u);
    expect(String(results[1])).toMatch(/\[The command succeeded with exit code 0\.\]$/u);
  });

  test("EV2 excluded tools stay whole", async () => {
    expect((await evicted("x".repeat(90_000), { evict: { exclude: ["report"] } })).results[0]).toHaveLength(90_000);
  });

  test("evict: false stores nothing", async () => {
    expect((await evicted("x".repeat(90_000), { evict: false })).results[0]).toHaveLength(90_000);
  });

  test("EV4 each call has a file of its own, also if its provider repeats ids", async () => {
    const backend = memoryFiles();
    const calls = [1, 2].map((n) => ({ calls: [{ id: "a/b", name: "report", arguments: { n } }] }));
    const report = tool({
      name: "report",
      description: "Reports.",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: ({ n }) => String(n).repeat(90_000),
    });
    const middleware = [filesystem({ backend })];
    const agent = createAgent({ model: scriptedModel([...calls, { text: "." }]), tools: [report], middleware });
    await agent.thread("t").send("Go.").result;
    expect(await textIn(backend, "/large_tool_results/call_1")).toBe("1".repeat(90_000));
    expect(await textIn(backend, "/large_tool_results/call_2")).toBe("2".repeat(90_000));
  });

  test("EV4 threads that share a backend do not share files", async () => {
    const backend = memoryFiles();
    const texts = ["a", "b"].map((letter) => letter.repeat(90_000));
    for (const text of texts) await evicted(text, { backend });
    const stored = await backend.list("/large_tool_results");
    expect(new Set(await Promise.all(stored.map(({ path }) => textIn(backend, path))))).toEqual(new Set(texts));
  });

  test.each<[string, (backend: FileBackend) => FileBackend]>([
    ["rejects", (backend) => ({ ...backend, write: async () => Promise.reject(new Error("disk full")) })],
    [
      "throws",
      (backend) => ({
        ...backend,
        write: () => {
          throw new Error("disk full");
        },
      }),
    ],
  ])("EV5 a write that %s keeps the result whole, with a warning", async (_, broken) => {
    const { results, events } = await evicted("x".repeat(90_000), { backend: broken(memoryFiles()) });
    expect(results[0]).toHaveLength(90_000);
    expect(events.filter(({ type }) => type === "warning").map(({ data }) => data)).toMatchObject([
      {
        message: "A large text could not be stored in /large_tool_results/call_1 and is passed on whole: disk full",
        id: "call_1",
      },
    ]);
  });

  test("EV6 patterns of replace and format appear as they are", async () => {
    const text = `$& $\` $' {x} %s\n${manyLines(1000)}`;
    expect(String((await evicted(text)).results[0])).toContain("   1  $& $` $' {x} %s\n");
  });

  test("EV7 an error stays an error, thrown or returned", async () => {
    const throws = tool({
      name: "report",
      description: "Fails.",
      execute: () => {
        throw new Error("e".repeat(90_000));
      },
    });
    const returns = returning({ content: [{ type: "text", text: "e".repeat(90_000) }], isError: true });
    for (const made of [throws, returns]) {
      const { calls, end } = await onFiles({ turns: [[["report"]]], agent: { tools: [made] } });
      expect([calls[0]?.status, end.status]).toEqual(["failed", "done"]);
      expect(calls[0]?.error).toMatch(/^The result has 90000 characters/u);
    }
  });

  test("EV1 media stay in the result and do not count", async () => {
    const picture = image(new Uint8Array(100_000), "image/png");
    expect((await evicted([picture, "small"])).results[0]).toMatchObject([
      { type: "media" },
      { type: "text", text: "small" },
    ]);
    const long = await evicted([picture, "x".repeat(90_000)]);
    expect(long.results[0]).toMatchObject([{ type: "text" }, { type: "media", mediaType: "image/png" }]);
    const mcp = {
      content: [
        { type: "text", text: "x".repeat(90_000) },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    };
    expect((await evicted(mcp)).results[0]).toMatchObject([
      { type: "text" },
      { type: "media", mediaType: "image/png" },
    ]);
  });

  test("EV8 the model, the thread and the event agree", async () => {
    const { model, calls, events } = await evicted(manyLines(1000));
    const end = events.find(({ type }) => type === "tool_call_end")?.data;
    expect(end).toMatchObject({ result: calls[0]?.result });
    const { messages = [] } = model.requests[1] ?? {};
    expect(JSON.stringify(messages.at(-1))).toContain(JSON.stringify(calls[0]?.result).slice(1, -1));
  });

  test("EV11 the oldest results are removed, and reading one says so", async () => {
    const backend = memoryFiles();
    const long = returning("x".repeat(90_000));
    const { results } = await onFiles({
      backend,
      evict: { keep: { results: 2 } },
      agent: { tools: [long] },
      turns: [[["report"]], [["report"]], [["report"]], [["read_file", { file_path: "/large_tool_results/call_1" }]]],
    });
    expect((await backend.list("/large_tool_results")).map(({ path }) => path)).toEqual([
      "/large_tool_results/call_2",
      "/large_tool_results/call_3",
    ]);
    expect(results[3]).toMatch(/^\/large_tool_results\/call_1 is not stored any more/u);
  });

  test("EV12 another directory", async () => {
    const backend = memoryFiles();
    await evicted("x".repeat(90_000), { backend, evict: { directory: "/artifacts/results" } });
    expect(await backend.stat("/artifacts/results/call_1")).toMatchObject({ type: "file" });
  });

  test("EV13 hooks before the middleware see the note, hooks after it the whole result", async () => {
    const seen: Record<string, number> = {};
    const noting = (name: string): Middleware =>
      defineMiddleware({
        name,
        wrapToolCall: (next) => async (call) => {
          const result = await next(call);
          seen[name] = String(result).length;
          return result;
        },
      });
    const middleware = [noting("outer"), filesystem({ backend: memoryFiles() }), noting("inner")];
    const model = scriptedModel([{ calls: [{ name: "report" }] }, { text: "." }]);
    const agent = createAgent({ model, tools: [returning("x".repeat(90_000))], middleware });
    await agent.thread("t").send("Go.").result;
    expect(seen["inner"]).toBe(90_000);
    expect(seen["outer"]).toBeLessThan(5_000);
  });
});

describe("user messages", () => {
  const long = `first\n${"y".repeat(200_000)}\nlast`;

  test("EV9 the model gets a preview and a path, the thread keeps the message, and later requests are the same", async () => {
    const backend = memoryFiles();
    const { agent, model } = await onFiles({ backend, turns: [[["ls"]]], input: long });
    await agent.thread("t").send("And?").result;
    const shown = model.requests.map(({ messages }) => JSON.stringify(messages[0]));
    expect(shown[0]).toContain("This message has 200011 characters");
    expect(shown[0]).toContain("/conversation_history/");
    expect(new Set(shown).size).toBe(1);
    expect(JSON.stringify(await agent.thread("t").history("openai-chat"))).toContain("y".repeat(200_000));
    const [stored] = await backend.list("/conversation_history");
    expect(await textIn(backend, stored?.path ?? "")).toBe(long);
    expect((await agent.thread("t").calls()).map(({ status }) => status)).toEqual(["succeeded"]); // #4682
  });

  test("EV9 a write that fails leaves the message as it is, with a warning", async () => {
    const backend = { ...memoryFiles(), write: async () => Promise.reject(new Error("disk full")) };
    const { model, events } = await onFiles({ backend, turns: [], input: long });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("y".repeat(200_000));
    expect(events.some(({ type }) => type === "warning")).toBe(true);
  });

  test.each([
    ["at the limit", "x".repeat(200_000), {}],
    ["with evictMessages: false", "x".repeat(300_000), { evictMessages: false as const }],
  ])("EV9 a message %s is passed on", async (_, input, options) => {
    const { model } = await onFiles({ ...options, turns: [], input });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(input);
  });
});

test("EV5 a write that never ends leaves the result whole, and holds up no other", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const files = memoryFiles();
  const backend: FileBackend = {
    ...files,
    write: (path, data) => (path.endsWith("call_1") ? new Promise(() => undefined) : files.write(path, data)),
  };
  const long = tool({ name: "long", description: "", execute: () => "x".repeat(90_000) });
  const made = onFiles({ backend, agent: { tools: [long] }, turns: [[["long"], ["long"]], [["long"]]] });
  await vi.advanceTimersByTimeAsync(31_000);
  const { results, events } = await made;
  expect(results.map((result) => String(result).length === 90_000)).toEqual([true, false, false]);
  expect(events.filter(({ type }) => type === "warning")).toHaveLength(1);
});

test("a stored result can be rebuilt exactly with read_file", async () => {
  const part = fc.constantFrom(
    "a",
    "$&",
    "😀",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\u2028",
    "\u0000",
    "[Line ends differ. CR: lines 1. LF: all others.]",
    "é".repeat(3_000),
    "x".repeat(20_000),
    "\n".repeat(50),
    "\r\n".repeat(50),
    "\n\r\n".repeat(150),
  );
  const plain = fc.array(part, { minLength: 8, maxLength: 40 }).map((parts) => parts.join(""));
  const ends = fc.constantFrom("\n", "\r\n", "\r", undefined);
  const texts = fc
    .tuple(plain, ends)
    .map(([text, end]) => (end === undefined ? text : text.replaceAll(/\r\n?|\n/gu, end)));
  const law = fc.asyncProperty(texts, async (text) => {
    const backend = memoryFiles();
    const { results: notes } = await evicted(text, { backend, evict: { tokens: 1 } });
    expect(await rebuilt(String(notes[0]), backend)).toBe(text);
  });
  await expect(fc.assert(law, { numRuns: 40 })).resolves.toBeUndefined();
});

/** A stored text, from the note about it and from pages of `read_file`, as a model sees them. */
async function rebuilt(note: string, backend: FileBackend): Promise<string> {
  const found: string[] = [];
  const lineEnds = new Map<number, string>();
  let place: { offset: number; column: number } | undefined = { offset: 0, column: 0 };
  while (place !== undefined) {
    const { results } = await onFiles({
      backend,
      turns: [[["read_file", { file_path: "/large_tool_results/call_1", ...place }]]],
    });
    const [rows = "", notice = ""] = String(results[0]).split(/\n\n(?=\[)/u);
    for (const row of rows.split("\n")) {
      const [, number, shown] = /^ *(\d+)(?:\.\d+)? {2}(.*)$/su.exec(row) ?? [];
      found[Number(number) - 1] = (found[Number(number) - 1] ?? "") + (shown ?? "");
    }
    for (const [, kind, list = ""] of notice.matchAll(/(CRLF|CR): lines ([\d, -]+)/gu))
      for (const range of list.split(", ")) {
        const [first = 0, last = first] = range.split("-").map(Number);
        for (let line = first; line <= last; line++) lineEnds.set(line - 1, kind === "CR" ? "\r" : "\r\n");
      }
    const [, offset, column] = /Continue with offset (\d+)(?: and column (\d+))?/u.exec(notice) ?? [];
    place = offset === undefined ? undefined : { offset: Number(offset), column: Number(column ?? 0) };
  }
  const [intro = ""] = note.split("\n");
  const usual = intro.includes("end with CRLF.") ? "\r\n" : intro.includes("end with CR.") ? "\r" : "\n";
  const isOpen = intro.includes("last line has no line end");
  return found.map((line, i) => line + (isOpen && i === found.length - 1 ? "" : (lineEnds.get(i) ?? usual))).join("");
}
