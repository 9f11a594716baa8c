import { tool } from "undangle/agent";
import { afterEach, describe, expect, test, vi } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";
import {
  chat,
  client,
  counting,
  messageOf,
  pay,
  saidIn,
  stage,
  theirs,
  threadOf,
  threadsIn,
  user,
} from "./stateless-client.ts";

afterEach(() => void vi.useRealTimers());

const connectionsOf = ({ app }: Served): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));

describe("a request that is sent again", () => {
  test("by a person who wants another answer gets one, in the same thread, and no tool runs twice", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let runs = 0;
    const once = tool({ name: "look", description: "Looks.", execute: () => `a blue house ${++runs}` });
    let answers = 0;
    const served = serve({
      agent: { tools: [once] },
      turns: [
        (request) => {
          const isResult = request.messages.at(-1)?.role === "tool";
          return isResult ? { text: `Answer ${++answers}.` } : { calls: [{ name: "look" }] };
        },
      ],
    });
    const { say, post, kept } = client(served);
    await say("One");
    const first = await say("Two");
    kept.pop();
    vi.setSystemTime(Date.now() + 60_000);
    const other = await post();
    expect([messageOf(first).content, messageOf(other).content]).toEqual(["Answer 2.", "Answer 3."]);
    expect([threadOf(other), runs]).toEqual([threadOf(first), 2]);
    kept.push(messageOf(other));
    expect(threadOf(await say("Three"))).toBe(threadOf(first));
  });

  test("with another setting is another request", async () => {
    const served = stage();
    const own = client(served);
    await own.say("One");
    await own.say("Two");
    own.kept.pop();
    await served.call("POST", chat, { messages: own.kept, temperature: 0.9 });
    expect([served.model.calls, served.model.requests.at(-1)?.sampling?.temperature]).toEqual([3, 0.9]);
  });

  test("after its model failed is answered in its thread", async () => {
    let isDown = false;
    const served = serve({
      turns: [(request) => (isDown ? { error: { status: 400, message: "away" } } : counting(request))],
    });
    const own = client(served);
    const first = await own.say("One");
    isDown = true;
    own.kept.push(user("Two"));
    expect((await own.post()).status).toBe(502);
    isDown = false;
    const again = await own.post();
    expect([again.status, threadOf(again), messageOf(again).content]).toEqual([
      200,
      threadOf(first),
      "That was number 2.",
    ]);
  });

  test("or is followed by another, after its model failed, is in one thread", async () => {
    let isDown = true;
    const served = serve({
      turns: [() => (isDown ? { error: { status: 400, message: "away" } } : { text: "Well." })],
    });
    const own = client(served);
    own.kept.push(user("One"));
    const failed = await own.post();
    isDown = false;
    const next = await own.say("Two");
    expect([failed.status, next.status, threadOf(next)]).toEqual([502, 200, threadOf(failed)]);
    expect(saidIn(served.model.requests.at(-1))).toMatch(/One.*Two/u);
  });

  test("by an SDK that says so, after a failure, begins no second thread", async () => {
    let isDown = true;
    const served = serve({ turns: [() => (isDown ? { error: { status: 400, message: "away" } } : { text: "Well." })] });
    const failed = await served.call("POST", chat, { messages: [user("One")] });
    isDown = false;
    const again = await served.call("POST", chat, { messages: [user("One")] }, { "x-stainless-retry-count": "1" });
    expect([again.status, threadOf(again)]).toEqual([200, threadOf(failed)]);
  });

  test.each([[false], [true]])(
    "by a client that had left is answered once, also when it begins a conversation (streamed: %s)",
    async (stream) => {
      const asking = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<{ text: string }>();
      const served = serve({
        turns: [
          () => {
            asking.resolve();
            return answer.promise;
          },
        ],
      });
      const url = await served.app.listen({ port: 0, host: "127.0.0.1" });
      const leaving = new AbortController();
      const body = JSON.stringify({ messages: [user("Pay all of it.")], stream });
      const headers = { "content-type": "application/json" };
      const first = fetch(url + chat, { method: "POST", headers, body, signal: leaving.signal });
      await asking.promise;
      leaving.abort();
      await expect(first).rejects.toThrow(/abort/u);
      await vi.waitFor(async () => expect(await connectionsOf(served)).toBe(0));
      const again = served.call("POST", chat, JSON.parse(body));
      answer.resolve({ text: "All paid." });
      expect((await again).text).toContain("All paid.");
      expect([served.model.calls, await threadsIn(served)]).toEqual([1, 1]);
    },
  );

  /** How much of its request a client sends again, and whether it names the thread. */
  const retries: Readonly<Record<string, { readonly isWhole: boolean; readonly isNamed: boolean }>> = {
    "with its whole history": { isWhole: true, isNamed: false },
    "with its whole history and thread_id": { isWhole: true, isNamed: true },
    "with what was new": { isWhole: false, isNamed: false },
    "with what was new and thread_id": { isWhole: false, isNamed: true },
  };

  test.each(Object.entries(retries))(
    "with a result and a message while an approval waits changes nothing: %s",
    async (_, { isWhole, isNamed }) => {
      const served = serve({
        agent: { tools: [pay] },
        turns: [{ calls: [{ name: "weather" }, { name: "pay" }] }, { text: "Done." }],
      });
      const first = await served.call("POST", chat, { messages: [user("Go.")], tools: [theirs] });
      const called = messageOf(first);
      const fresh = [{ role: "tool", tool_call_id: called.tool_calls?.[0]?.id, content: "rain" }, user("And hurry.")];
      const body = {
        messages: isWhole ? [user("Go."), called, ...fresh] : fresh,
        tools: [theirs],
        ...(isNamed && { thread_id: threadOf(first) }),
      };
      const answered = await served.call("POST", chat, body);
      const again = await served.call("POST", chat, body);
      expect([answered.status, again.status, messageOf(again)]).toEqual([200, 200, messageOf(answered)]);
      const { body: queue } = await served.call("GET", "/queue");
      expect(queue).toMatchObject({ data: [{ id: threadOf(first), pending: [{ name: "pay" }] }] });
      await served.call("POST", `/threads/${threadOf(first)}/decisions?wait=true`, { all: "approve" });
      expect(saidIn(served.model.requests.at(-1)).split("And hurry.")).toHaveLength(2);
      expect(served.model.calls).toBe(2);
    },
  );
});
