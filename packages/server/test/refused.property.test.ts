import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import { memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Method, Served } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const ran = (name: string) => tool({ name, description: "Does it.", execute: () => "done" });
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const theirs = (name: string): object => ({ type: "function", function: { name, parameters: { type: "object" } } });
const said = (content: string) => ({ role: "user", content });

/** Everything that a store has of threads. */
async function rowsOf(store: Store): Promise<object> {
  const heads = [...(await store.list()), ...(await store.list({ isDeleted: true }))];
  const rows = await Promise.all(
    heads.map(async (head) => [
      head.id,
      {
        head,
        entries: await store.entries(head.id),
        calls: await store.calls(head.id),
        events: await store.events(head.id),
      },
    ]),
  );
  return Object.fromEntries(rows) as object;
}

/** A server with threads of every kind; the tools of `clerk` have the names of the callers' tools. */
async function stage(): Promise<Served & { readonly store: Store }> {
  const store = memoryStore();
  const model = scriptedModel(
    [
      ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("Pay")) return { calls: [{ name: "pay" }] };
        return last.includes("Weather") ? { calls: [{ name: "weather" }, { name: "ls" }] } : { text: "Well." };
      },
    ],
    { loop: true },
  );
  const config = {
    agents: {
      helper: { model, tools: [pay, ran("ls")] },
      clerk: { model, tools: [ran("weather"), ran("file")] },
    },
    models: { other: model },
  };
  const served = serve({ config, options: { store } });
  const { call, app } = served;
  for (const id of ["waiting", "theirs", "idle", "empty", "deleted", "gone"]) await call("POST", "/threads", { id });
  await call("POST", chat, { thread_id: "waiting", messages: [said("Pay.")], tools: [theirs("weather")] });
  await call("POST", chat, { thread_id: "theirs", messages: [said("Weather?")], tools: [theirs("weather")] });
  await call("POST", chat, { thread_id: "idle", messages: [said("Hi.")] });
  await call("DELETE", "/threads/deleted");
  const { thread } = await app.service.projectThreads.open("default", "gone");
  await thread.describe({ meta: { "undangle/server": { persona: "nobody" } } });
  return { ...served, store };
}

const ids = fc.constantFrom("waiting", "theirs", "idle", "empty", "deleted", "gone", "none", "a%2Fb");
const tools = fc.subarray(["pay", "ls", "weather", "file", "other"]).map((names) => names.map(theirs));
const handles = fc.constantFrom("call_1", "call_2", "call_9", `call_${"0".repeat(32)}_1`);
const personas = fc.constantFrom("helper", "clerk", "nobody");
const texts = fc.constantFrom("Pay.", "Weather?", "Hi.", "");

interface Sent {
  readonly method: Method;
  readonly url: string;
  readonly body?: object | undefined;
}

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const chats: fc.Arbitrary<Sent> = fc
  .record({
    thread_id: maybe(ids.map((id) => decodeURIComponent(id))),
    tools: maybe(tools),
    use_tools: maybe(fc.boolean()),
    personality_id: maybe(personas),
    model: maybe(fc.constantFrom("helper", "clerk", "gpt-99")),
    tool_choice: maybe(fc.constantFrom("auto", { type: "function", function: { name: "file" } })),
    temperature: maybe(fc.constantFrom(0.5, 9)),
    messages: fc.oneof(
      texts.map((content) => [said(content)]),
      fc.array(
        fc.oneof(
          texts.map(said),
          texts.map((content) => ({ role: "assistant", content })),
          handles.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "30" })),
        ),
        { maxLength: 4 },
      ),
    ),
  })
  .map((body) => ({ method: "POST", url: chat, body }));

const patches: fc.Arbitrary<Sent> = fc
  .record({
    id: ids,
    body: fc.record(
      {
        deleted: fc.constantFrom(false, true),
        title: fc.constantFrom("Bills", "", "\ud800", "x".repeat(300)),
        persona: personas,
        model: fc.constantFrom("other", "nothing", null),
        metadata: fc.constantFrom({ a: 1 }, { big: "x".repeat(20_000) }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ id, body }) => ({ method: "PATCH", url: `/threads/${id}`, body }));

const decisions = fc.dictionary(
  fc.constantFrom("call_1", "call_2", "call_9"),
  fc.record(
    {
      type: fc.constantFrom("approve", "reject", "edit", "respond", "maybe"),
      digest: fc.constantFrom("x"),
      arguments: fc.constantFrom({}, 7),
      always: fc.constantFrom(true, { scope: "agent" }, "sometimes"),
    },
    { requiredKeys: ["type"] },
  ),
);

const posts: fc.Arbitrary<Sent> = fc
  .record({
    id: ids,
    what: fc.oneof(
      fc.record({
        path: fc.constant("messages?wait=true"),
        body: fc.record({ content: texts, onInput: maybe(fc.constantFrom("refuse", "queue", "later")) }),
      }),
      fc.record({ path: fc.constant("decisions?wait=true"), body: decisions.map((given) => ({ decisions: given })) }),
      fc.record({
        path: fc.constant("decisions?wait=true"),
        body: fc.constantFrom({ all: "approve" }, { all: "maybe" }),
      }),
      fc.record({ path: fc.constant("regenerate?wait=true"), body: fc.constant(undefined) }),
      fc.record({
        path: fc.constant("fork"),
        body: fc.record({ at: maybe(fc.constantFrom(0, 1, 99)), id: maybe(fc.constantFrom("idle", "deleted")) }),
      }),
    ),
  })
  .map(({ id, what: { path, body } }) => ({ method: "POST", url: `/threads/${id}/${path}`, body }));

const others: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({ id: fc.constantFrom("idle", "deleted", "a/b"), persona: maybe(personas) }).map((body) => ({
    method: "POST" as const,
    url: "/threads",
    body,
  })),
  fc
    .record({
      id: fc.constantFrom("idle", "deleted"),
      persona: maybe(personas),
      format: maybe(fc.constantFrom("openai-chat", "none")),
      history: fc.constantFrom([said("Hi.")], {}, [7]),
    })
    .map((body) => ({ method: "POST" as const, url: "/threads/import", body })),
  ids.map((id) => ({ method: "DELETE" as const, url: `/threads/${id}/allowances/none` })),
);

/** What a request has changed in the store though it was refused; undefined when that is nothing. */
async function refusedChange(
  { call, store }: Awaited<ReturnType<typeof stage>>,
  sent: Sent,
  seen: Set<string>,
): Promise<unknown> {
  const { method, url, body } = sent;
  const before = await rowsOf(store);
  const { status, text } = await call(method, url, body);
  seen.add(`${method} ${url.replace(/^\/threads\/[^/]+/u, "/threads/:id")} ${status < 400 ? "done" : "refused"}`);
  const after = status < 400 ? before : await rowsOf(store);
  return isDeepStrictEqual(before, after) && status < 500 ? undefined : { sent, status, text, before, after };
}

test("a request that is refused changes no row of the store, whichever it is", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(chats, patches, posts, others), { minLength: 4, maxLength: 8 }), async (all) => {
      const staged = await stage();
      for (const sent of all) expect(await refusedChange(staged, sent, seen)).toBeUndefined();
      expect(await staged.call("GET", "/queue")).toMatchObject({ status: 200 });
    }),
    { ...(process.env["FUZZ"] === undefined && { numRuns: 60 }) },
  );
  const kinds = [
    `POST ${chat}`,
    "PATCH /threads/:id",
    "POST /threads/:id/decisions?wait=true",
    "POST /threads/:id/fork",
  ];
  const wanted = kinds.flatMap((kind) => [`${kind} refused`, `${kind} done`]);
  expect(wanted.filter((kind) => !seen.has(kind))).toEqual([]);
});
