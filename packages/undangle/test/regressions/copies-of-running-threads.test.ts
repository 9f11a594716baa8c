import { createAgent, tool } from "#engine";
import type { Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

import { promised, until } from "../engine/promised.ts";
import { statesOf } from "../engine/recorded.ts";

/** A running call that writes two files, and ends when they are listed, or when the second of them is read. */
async function createStage(when: "files" | "file") {
  const inner = memoryStore();
  const end = promised();
  const endOnce = async (): Promise<void> => {
    end.resolve(undefined);
    await until(async () => (await statesOf(inner, "t"))["write"] === "succeeded");
  };
  const store: Store = {
    ...inner,
    async files(thread, options) {
      if (thread === "t" && when === "files") await endOnce();
      return inner.files(thread, options);
    },
    async file(thread, path) {
      if (thread === "t" && when === "file" && path === "/b.txt") await endOnce();
      return inner.file(thread, path);
    },
  };
  const write = tool({
    name: "write",
    description: "Writes.",
    async execute(_: unknown, { files }) {
      await end.promise;
      await files.write(["/a.txt", "/b.txt"].map((path) => ({ path, data: new TextEncoder().encode("new") })));
    },
  });
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: "write" }] }, { text: "Done." }], { loop: true }),
    tools: [write],
    store,
  });
  const thread = agent.thread("t");
  const run = thread.send("Go.", { files: { "/a.txt": "old", "/b.txt": "old" } });
  for await (const { type } of run) if (type === "tool_call_running") break;
  return { agent, thread };
}

/** The state of the call, and the contents of both files. */
async function versionOf(thread: Thread): Promise<unknown> {
  const { entries, files } = await thread.export();
  const [call] = entries.flatMap(({ calls }) => calls as readonly { readonly state: string }[]);
  return [call?.state, ...(files?.map((file) => ("text" in file ? file.text : undefined)) ?? [])];
}

test.each(["files", "file"] as const)("a fork has entries and files of one version (%s)", async (when) => {
  const { thread } = await createStage(when);
  expect(await versionOf(await thread.fork())).toEqual(["succeeded", "new", "new"]);
});

test.each(["files", "file"] as const)("an export has entries and files of one version (%s)", async (when) => {
  const { thread } = await createStage(when);
  expect(await versionOf(thread)).toEqual(["succeeded", "new", "new"]);
});

test("a fork of a thread that another process runs has entries and files of one version", async () => {
  const { agent, thread } = await createStage("file");
  const other = createAgent({ model: scriptedModel([{ text: "Done." }]), tools: [], store: agent.store });
  expect(await versionOf(await other.thread("t").fork())).toEqual(["succeeded", "new", "new"]);
  expect(await versionOf(thread)).toEqual(["succeeded", "new", "new"]);
});
