import { formats } from "#codecs";
import { createAgent } from "#engine";
import type { Thread } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

const threadOf = (): Thread => createAgent({ model: scriptedModel([{ text: "Yes." }]) }).thread("t");

describe("an import of nothing is refused", () => {
  test.each([
    [[], 0],
    [{ messages: [] }, 0],
    [{ contents: [] }, 0],
    [[{ role: "x" }], 1],
    [[{ role: "x" }, { role: "y", foo: 1 }], 2],
    [[{ role: "assistant", content: "" }], 1],
  ])("%j", async (history, messages) => {
    const agent = createAgent({ model: scriptedModel([]) });
    const refused = agent.thread("t").import(history);
    await expect(refused).rejects.toMatchObject({ code: "input/empty", data: { messages } });
    expect(await agent.store.load("t")).toBeUndefined();
  });

  test.each(formats)("[{ role: x }] in %s", async (format) => {
    await expect(threadOf().import([{ role: "x" }], { format })).rejects.toMatchObject({ code: "input/empty" });
  });

  test("and leaves a thread as it was", async () => {
    const thread = threadOf();
    await thread.import([{ role: "user", content: "Go." }]);
    const before = await thread.export();
    await expect(thread.import([])).rejects.toThrow(/nothing to import/u);
    expect(await thread.export()).toEqual(before);
  });
});

test("a pending action is something, and so is an exported thread without entries", async () => {
  const waiting = threadOf();
  await waiting.import({ messages: [], pendingAction: { functionCall: { name: "pay" } } });
  expect(await waiting.pending()).toHaveLength(1);
  const empty = await threadOf().export();
  await threadOf().import(empty);
});
