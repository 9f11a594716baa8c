import { describe, expect, test } from "vitest";

import { createAgent, defineMiddleware, memoryStore, tool } from "undangle/agent";
import type { Store, ToolContext } from "undangle/agent";
import { scriptedModel } from "undangle/testing";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined): string | undefined =>
  data === undefined ? undefined : new TextDecoder().decode(data);

/** A store that records the files and the settled calls of each commit. */
function recording(): { readonly store: Store; readonly commits: { files: string[]; settled: string[] }[] } {
  const store = memoryStore();
  const commits: { files: string[]; settled: string[] }[] = [];
  return {
    commits,
    store: {
      ...store,
      async commit(commit) {
        await store.commit(commit);
        const settled = commit.calls.flatMap(({ id, value }) =>
          (value as { readonly outcome?: unknown }).outcome === undefined ? [] : [id],
        ); // the ledger writes calls
        commits.push({ files: (commit.files ?? []).map(({ path }) => path), settled });
      },
    },
  };
}

type Execute = (args: never, context: ToolContext) => unknown;

function agentOf(
  tools: Readonly<Record<string, Execute>>,
  { store = memoryStore(), calls = Object.keys(tools), ...options }: Partial<Options> = {},
) {
  return createAgent({
    model: scriptedModel([{ calls: calls.map((name) => ({ name })) }, { text: "Done." }]),
    store,
    tools: Object.entries(tools).map(([name, execute]) =>
      tool({ name, description: name, ...options, execute: (args, context) => execute(args as never, context) }),
    ),
  });
}

interface Options {
  readonly store: Store;
  readonly calls: readonly string[];
  readonly retries: number;
  readonly timeout: number;
}

const writing =
  (path: string, content: string): Execute =>
  (_, { files }) =>
    files.write([{ path, data: bytes(content) }]);

describe("what a call writes", () => {
  test("is saved in the commit of its result", async () => {
    const { store, commits } = recording();
    await agentOf({ write: writing("/a.txt", "a") }, { store })
      .thread("t")
      .send("Go.").result;
    const [first, ...others] = commits.filter(({ files }) => files.length > 0);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ files: ["/a.txt"], settled: [expect.any(String)] });
  });

  test("is not saved with the result of a sibling", async () => {
    const { store } = recording();
    const seen: (string | undefined)[] = [];
    const { promise: quickIsSaved, resolve } = Promise.withResolvers<void>();
    const agent = agentOf(
      {
        async slow(_: never, { files, state }: ToolContext) {
          await files.write([{ path: "/slow.txt", data: bytes("half") }]);
          state.set("slow", "half");
          await quickIsSaved;
          const [head] = await store.list();
          seen.push(text((await store.file("t", "/slow.txt"))?.data), JSON.stringify(head?.data));
        },
        quick: () => "quick",
      },
      { store },
    );
    const thread = agent.thread("t");
    const run = thread.send("Go.");
    for await (const { type, data } of run) if (type === "tool_call_end" && data.name === "quick") resolve();
    expect(seen[0]).toBeUndefined();
    expect(seen[1]).not.toContain("half");
    expect(text(await thread.readFile("/slow.txt"))).toBe("half");
    expect(await thread.state()).toEqual({ slow: "half" });
  });

  test("is seen by the call itself, and by siblings when it has ended", async () => {
    const seen: unknown[] = [];
    const agent = agentOf({
      async first(_: never, { files }: ToolContext) {
        await files.write([{ path: "/n.txt", data: bytes("1") }]);
        seen.push(
          (await files.list("/")).map(({ path, size }) => [path, size]),
          text((await files.read("/n.txt"))?.data),
        );
      },
      second: (_: never, { files }: ToolContext) =>
        files.transact(async (own) => {
          const before = text((await own.read("/n.txt"))?.data) ?? "";
          await own.write([{ path: "/n.txt", data: bytes(`${before}2`) }]);
        }),
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(seen).toEqual([[["/n.txt", 1]], "1"]);
    expect(text(await thread.readFile("/n.txt"))).toBe("12");
  });

  test("sixteen parallel changes of one file are all applied", async () => {
    const agent = agentOf(
      {
        async add(_: never, { files, callId }: ToolContext) {
          await files.transact(async (own) => {
            const before = text((await own.read("/list"))?.data) ?? "";
            await new Promise((resolve) => {
              setTimeout(resolve, callId.length % 3);
            });
            await own.write([{ path: "/list", data: bytes(`${before}+`) }]);
          });
        },
      },
      { calls: Array.from({ length: 16 }, () => "add") },
    );
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(text(await thread.readFile("/list"))).toBe("+".repeat(16));
  });

  test("stays if the tool throws, because the model is told that it ran", async () => {
    const agent = agentOf({
      async fail(_: never, { files }: ToolContext) {
        await files.write([{ path: "/a", data: bytes("a") }]);
        throw new Error("no");
      },
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(text(await thread.readFile("/a"))).toBe("a");
  });

  test("is dropped with an attempt that is repeated", async () => {
    const agent = agentOf(
      {
        async retry(_: never, { files, attempt }: ToolContext) {
          await files.write([{ path: `/attempt-${attempt}`, data: bytes("") }]);
          if (attempt === 1) throw new Error("once more");
        },
      },
      { retries: 1 },
    );
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect((await thread.files()).map(({ path }) => path)).toEqual(["/attempt-2"]);
  });

  test("is dropped if the call times out, and its siblings can write", async () => {
    const agent = agentOf(
      {
        async hang(_: never, { files, signal }: ToolContext) {
          await files.write([{ path: "/hang", data: bytes("") }]);
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
          await files.write([{ path: "/late", data: bytes("") }]);
        },
        write: writing("/b", "b"),
      },
      { timeout: 50 },
    );
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect((await thread.files()).map(({ path }) => path)).toEqual(["/b"]);
  });

  test("a call that writes after it has ended holds up no other", async () => {
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "hang" }] }, { calls: [{ name: "write" }] }, { text: "Done." }]),
      tools: [
        tool({
          name: "hang",
          description: "",
          timeout: 20,
          execute: (_, { files }) =>
            new Promise(() => {
              setTimeout(() => {
                void files.write([{ path: "/late", data: bytes("") }]).then(() => resolve());
              }, 60);
            }),
        }),
        tool({
          name: "write",
          description: "",
          timeout: 5000,
          async execute(_, { files }) {
            await isLate;
            await files.write([{ path: "/b", data: bytes("b") }]);
          },
        }),
      ],
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["timed-out", "succeeded"]);
    expect((await thread.files()).map(({ path }) => path)).toEqual(["/b"]);
  });

  test("an attempt that was given up does not write into the next one", async () => {
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const agent = agentOf(
      {
        async flaky(_: never, { files, state, attempt }: ToolContext) {
          if (attempt > 1) {
            await files.write([{ path: "/second", data: bytes("") }]);
            return isLate;
          }
          setTimeout(() => {
            state.set("late", true);
            void files.write([{ path: "/late", data: bytes("") }]).then(() => resolve());
          }, 150);
          throw new Error("busy");
        },
      },
      { retries: 1 },
    );
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect((await thread.files()).map(({ path }) => path)).toEqual(["/second"]);
    expect(await thread.state()).toEqual({});
  });

  test("updates of a middleware's state by parallel calls are merged", async () => {
    const counting = defineMiddleware<{ readonly names: readonly string[] }, string>({
      name: "counting",
      state: { initial: { names: [] }, reduce: ({ names }, name) => ({ names: [...names, name] }) },
      wrapToolCall:
        (next) =>
        async (call, { state }) => {
          state.update(`before ${call.tool.name}`);
          const result = await next(call);
          state.update(`after ${call.tool.name}`);
          return result;
        },
    });
    const pause = () =>
      new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "one" }, { name: "two" }] }, { text: "Done." }]),
      tools: ["one", "two"].map((name) => tool({ name, description: name, execute: pause })),
      middleware: [counting],
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(await thread.state()).toEqual({
      counting: { names: ["before one", "after one", "before two", "after two"] },
    });
  });
});

describe("faults", () => {
  test("a reducer that fails on the state of a sibling fails the run, and keeps the results", async () => {
    const full = defineMiddleware<{ readonly names: readonly string[] }, string>({
      name: "full",
      state: {
        initial: { names: [] },
        reduce({ names }, name) {
          if (names.length > 0) throw new Error("full");
          return { names: [name] };
        },
      },
      wrapToolCall:
        (next) =>
        async (call, { state }) => {
          state.update(call.context.callId);
          return next(call);
        },
    });
    const pause = () =>
      new Promise((resolve) => {
        setTimeout(resolve, 5, "ran");
      });
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "one" }, { name: "two" }] }, { text: "Done." }]),
      tools: ["one", "two"].map((name) => tool({ name, description: name, execute: pause })),
      middleware: [full],
    });
    const thread = agent.thread("t");
    const { status, error } = await thread.send("Go.").result;
    expect(status).toBe("failed");
    expect(error?.message).toContain("full");
    expect((await thread.calls()).map(({ result }) => result)).toEqual(["ran", "ran"]);
  });

  test("work in a transaction may begin another one", async () => {
    const agent = agentOf({
      nest: (_: never, { files }: ToolContext) =>
        files.transact((outer) => outer.transact((inner) => inner.write([{ path: "/nested", data: bytes("n") }]))),
    });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    expect(text(await thread.readFile("/nested"))).toBe("n");
  });
});

describe("the host", () => {
  test("writes, reads, lists and deletes files, by any spelling of a path", async () => {
    const thread = agentOf({}, { calls: [] }).thread("t");
    await thread.writeFile("notes//today.txt", "hello");
    await thread.writeFile("/bytes", new Uint8Array([0, 255, 1]));
    expect((await thread.files()).map(({ path, size }) => [path, size])).toEqual([
      ["/bytes", 3],
      ["/notes/today.txt", 5],
    ]);
    expect((await thread.files("/notes/")).length).toBe(1);
    expect(text(await thread.readFile("/notes/./today.txt"))).toBe("hello");
    await thread.writeFile("/bytes", null);
    expect(await thread.readFile("/bytes")).toBeUndefined();
    await expect(thread.writeFile("/a/../b", "x")).rejects.toMatchObject({ code: "file/path" });
    await expect(thread.writeFile("/a", 1 as never)).rejects.toMatchObject({ code: "options/value" });
  });

  test("sends files with a message", async () => {
    const agent = agentOf({ read: async (_: never, { files }: ToolContext) => text((await files.read("/in"))?.data) });
    const thread = agent.thread("t");
    await thread.send("Go.", { files: { "/in": "given" } }).result;
    expect(await thread.calls()).toMatchObject([{ result: "given" }]);
  });

  test("forks, exports and imports files with the thread", async () => {
    const agent = agentOf({ write: writing("/a.txt", "$& 文") });
    const thread = agent.thread("t");
    await thread.send("Go.", { files: { "/b": new Uint8Array([255, 0]) } }).result;
    const fork = await thread.fork();
    const copy = agent.thread("copy");
    await copy.import(JSON.parse(JSON.stringify(await thread.export())));
    for (const each of [fork, copy]) {
      expect((await each.files()).map(({ path }) => path)).toEqual(["/a.txt", "/b"]);
      expect(text(await each.readFile("/a.txt"))).toBe("$& 文");
      expect(await each.readFile("/b")).toEqual(new Uint8Array([255, 0]));
    }
    await fork.writeFile("/a.txt", "changed");
    expect(text(await thread.readFile("/a.txt"))).toBe("$& 文");
  });
});
