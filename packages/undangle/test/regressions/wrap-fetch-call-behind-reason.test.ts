import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { answering, chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** A call that comes behind the reason: that was told twice, and LangChain made `stoptool_calls` of the two. */
const tools = [{ type: "function", function: { name: "run", parameters: {} } }];
const request = { ...chat.request, tools };
const says = chunk({ content: "Hé" });
const called = calls(begun(0, "run", '{"a":1}'));
const usage = { ...chunk({}), choices: [], usage: { total_tokens: 5 } };
const ends = (reason: string): object => chunk({}, reason);
const reasonsIn = (body: string): readonly string[] =>
  [...body.matchAll(/"finish_reason":"(\w+)"/gu)].map(([, reason = ""]) => reason);

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  describe.each(["tool_calls", "stop"])("the reason %s waits for a call behind it", (reason) => {
    test.each([
      ["that is whole", [ends(reason), called, done]],
      ["in pieces", [ends(reason), calls(begun(0, "run")), calls(more(0, '{"a":')), calls(more(0, "1}")), done]],
      ["with a reason of its own", [ends(reason), called, end, done]],
      ["without a mark of the end", [ends(reason), called]],
      ["with the usage behind it", [ends(reason), called, usage, done]],
    ])("%s", async (_, sent) => {
      const { text, error, told } = await passedThrough({
        ...chat,
        ...way,
        request,
        body: events(role, says, ...sent),
      });
      expect(error).toBeUndefined();
      expect(callsIn(text)).toEqual(['run {"a":1}']);
      expect(reasonsIn(text)).toEqual(["tool_calls"]);
      expect(text.lastIndexOf('"tool_calls":')).toBeLessThan(text.indexOf('"finish_reason":"tool_calls"'));
      expect(text.includes("total_tokens")).toBe(sent.includes(usage));
      expect(told).toHaveLength(1);
    });

    test("also behind calls that have passed", async () => {
      const sent = [called, says, ends(reason), calls(begun(1, "run", '{"a":2}')), done];
      const { text, error } = await passedThrough({ ...chat, ...way, request, body: events(role, ...sent) });
      expect(error).toBeUndefined();
      expect(callsIn(text)).toEqual(['run {"a":1}', 'run {"a":2}']);
      expect(reasonsIn(text)).toEqual(["tool_calls"]);
    });

    test.each(["langchainjs-openai/1.5.8", "OpenAI/JS 7.1.0"])(
      "it is told once to %s when it has passed",
      async (agent) => {
        const body = events(role, says, ends(reason), usage, called, done);
        const { text, error } = await passedThrough({ ...chat, ...way, request, agent, body });
        expect(error).toBeUndefined();
        expect(callsIn(text)).toEqual(['run {"a":1}']);
        expect(reasonsIn(text)).toEqual(agent.startsWith("langchainjs") ? [reason] : [reason, "tool_calls"]);
      },
    );
  });

  describe("what needs no mending stays as it is", () => {
    test.each([
      ["a string", [says, ends("stop"), done]],
      ["a text without a mark", [says, ends("stop")]],
      ["with usage", [says, ends("stop"), usage, done]],
      ["with signs of life", [says, ends("stop"), ": ping\n\n", usage, ": ping\n\n", done]],
      ["with words behind the reason", [says, ends("stop"), says, done]],
      ["with the reason beside the last word", [chunk({ content: "Hé" }, "stop"), done]],
      ["cut off", [says, ends("length"), done]],
      ["a call, and a text behind it", [called, says, end, usage, done]],
      ["only a reason", [ends("stop"), done]],
    ])("%s", async (_, sent) => {
      const body = events(role, ...sent);
      const { text, error, told } = await passedThrough({ ...chat, ...way, request, body });
      expect(error).toBeUndefined();
      expect(text).toBe(body);
      expect(told).toEqual([]);
    });
  });

  test("an error of the provider's behind the reason passes behind it", async () => {
    const body = events(role, says, ends("stop"), { error: { message: "Too late." } });
    const { text } = await passedThrough({ ...chat, ...way, request, body });
    expect(text.indexOf('"finish_reason":"stop"')).toBeGreaterThan(0);
    expect(text.indexOf("Too late.")).toBeGreaterThan(text.indexOf('"finish_reason":"stop"'));
  });
});

test.each(["hold", "stream"] as const)(
  "the reason waits for one event and no word for it, calls: %s",
  async (toolCalls) => {
    const sent = [role, says, ends("stop"), usage];
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const next = sent.shift();
          if (next === undefined) return new Promise(() => undefined);
          controller.enqueue(new TextEncoder().encode(events(next)));
          return undefined;
        },
      },
      { highWaterMark: 0 },
    );
    const fetch = wrapFetch({ fetch: answering(body), toolCalls, logger: false });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
    const response = await fetch(chat.url, init);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect([await next(), await next(), await next()]).toEqual([
      events(role),
      events(says),
      events(ends("stop"), usage),
    ]);
    await reader.cancel();
  },
);
