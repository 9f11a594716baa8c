import { createAgent } from "#engine";
import type { Agent, Thread } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { convert, repair } from "undangle";
import { describe, expect, test } from "vitest";

const say = (content: string) => ({ role: "user", content });
const system = { role: "system", content: "Be brief." };
const reply = { role: "assistant", content: "Well." };
const calls = (args: string, ...ids: readonly string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: args } })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "seen" });

/** Histories that end in a call without a result, and what may follow. */
const histories: readonly (readonly [string, readonly object[]])[] = [
  ["a call", [say("Go."), calls("{}", "a")]],
  ["one of two calls", [say("Go."), calls("{}", "a", "b"), result("a")]],
  ["a call and a system message", [say("Go."), calls("{}", "a"), system]],
  ["a call whose arguments are cut off", [say("Go."), calls('{"n":', "a")]],
  ["a call whose arguments are no JSON", [say("Go."), calls("n = 1", "a")]],
  ["a call after an answered one", [say("Go."), calls("{}", "a"), result("a"), calls("{}", "b")]],
  ["a call after an interrupted one", [say("Go."), calls("{}", "a"), reply, calls("{}", "b")]],
];

const agentOf = (): Agent => createAgent({ model: scriptedModel([{ text: "Yes." }], { loop: true }) });

/** What a history in the chat format says of calls without a result. */
const noticesIn = (messages: unknown): readonly string[] =>
  (messages as readonly { readonly role: string; readonly content: string }[])
    .filter(({ role, content }) => role === "tool" && content.startsWith("Tool call "))
    .map(({ content }) => content);

const noticesOf = async (thread: Thread): Promise<readonly string[]> => {
  const texts = (await thread.calls()).flatMap(({ error }) => (error === undefined ? [] : [error]));
  const notices = noticesIn(await thread.export("openai-chat"));
  expect(texts).toEqual(notices);
  return notices;
};

describe.each(histories)("a history that ends in %s", (_, messages) => {
  const atEnd = noticesIn(repair(messages, { format: "openai-chat" }).output);
  const beforeUser = noticesIn(repair([...messages, say("And?")], { format: "openai-chat" }).output);

  test("has the cause of repair while nothing follows, and after an answer of the model", async () => {
    const thread = agentOf().thread("t");
    await thread.import(messages);
    expect(await noticesOf(thread)).toEqual(atEnd);
    const first = await thread.fork();
    await first.send("And?").result; // a copy has its own next message
    expect(await noticesOf(first)).toEqual(beforeUser);
    expect(await noticesOf(thread)).toEqual(atEnd);
  });

  test.each<[string, (thread: Thread) => Promise<unknown>]>([
    ["a message", (thread) => thread.send("And?").result],
    ["another import", (thread) => thread.import([say("And?")])],
  ])("has the cause of repair when %s follows", async (_how, next) => {
    const store = memoryStore();
    const model = scriptedModel([{ text: "Yes." }], { loop: true });
    const thread = createAgent({ model, store }).thread("t");
    await thread.import(messages);
    await next(thread);
    expect(await noticesOf(thread)).toEqual(beforeUser);
    const again = createAgent({ model, store }).thread("t"); // read from the store
    expect(await noticesOf(again)).toEqual(beforeUser);
    await again.send("Sure?").result;
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(JSON.stringify(beforeUser.at(-1)).slice(1, -1));
  });

  test("has the cause of repair when it was stored, exported or opened elsewhere in between", async () => {
    const store = memoryStore();
    const model = scriptedModel([{ text: "Yes." }], { loop: true });
    await createAgent({ model, store }).thread("t").import(messages);
    const opened = createAgent({ model, store }).thread("t");
    const copy = agentOf().thread("copy");
    await copy.import(await opened.export());
    for (const thread of [opened, copy]) {
      await thread.send("And?").result;
      expect(await noticesOf(thread)).toEqual(beforeUser);
    }
  });

  test("has the cause of repair when the message comes with it, and in every format", async () => {
    const whole = [...messages, say("And?")];
    for (const format of ["openai-chat", "langchain", "ai-sdk", "anthropic"] as const) {
      const thread = agentOf().thread("t");
      await thread.import(convert(whole, { from: "openai-chat", to: format }).output, { format });
      expect(noticesIn(await thread.export("openai-chat"))).toEqual(beforeUser);
    }
  });
});

test("a failed attempt to answer changes nothing: the next message decides", async () => {
  const model = scriptedModel([{ error: { status: 400, message: "no" } }, { text: "Yes." }]);
  const thread = createAgent({ model }).thread("t");
  await thread.import([say("Go."), calls("{}", "a")]);
  expect((await thread.regenerate().result).status).toBe("failed");
  expect(await noticesOf(thread)).toMatchObject([expect.stringContaining("has no recorded result")]);
  await thread.send("And?").result;
  expect(await noticesOf(thread)).toMatchObject([expect.stringContaining("was cancelled")]);
});

test("siblings of a call that waits have the cause that follows from what comes next", async () => {
  const history = {
    messages: [say("Go."), calls("{}", "a", "b")],
    pendingAction: { functionCall: { id: "a", name: "look" } },
  };
  const decided = agentOf().thread("t");
  await decided.import(history);
  await decided.rejectAll().result;
  expect(noticesIn(await decided.export("openai-chat"))).toMatchObject([
    expect.stringMatching(/id b has no recorded result/u),
  ]);
  const overtaken = agentOf().thread("t");
  await overtaken.import(history);
  await overtaken.send("And?").result;
  expect(noticesIn(await overtaken.export("openai-chat"))).toMatchObject([
    expect.stringMatching(/id a was cancelled/u),
    expect.stringMatching(/id b was cancelled/u),
  ]);
});
