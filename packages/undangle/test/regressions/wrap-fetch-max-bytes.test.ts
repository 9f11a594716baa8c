import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import { done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const long = "天".repeat(1000);

/** `maxBytes` counted UTF-16 units of some texts, which may be three bytes each. */
describe("maxBytes counts bytes", () => {
  const called = events(calls(begun(0, "f", '{"x":"')), calls(more(0, long)), calls(more(0, '"}')));
  const body = `${events(role)}${called}${events(end, done)}`;

  test.each(ways)("of calls in a stream (chunks of $size, calls: $toolCalls)", async (way) => {
    const limited = (maxBytes: number) => passedThrough({ ...chat, ...way, body, options: { maxBytes } });
    expect(await limited(bytesOf(body))).toEqual({ text: body, error: undefined, told: [] });
    expect((await limited(bytesOf(called) - 1000)).error).toMatch(/larger than maxBytes/u);
  });

  test.each(ways)("of events before the format is known (chunks of $size, calls: $toolCalls)", async (way) => {
    const notice = `data: ${long}\n\n`;
    const told = { ...chat, ...way, body: `${notice}${body}` };
    expect((await passedThrough(told)).text).toBe(body);
    const options = { maxBytes: bytesOf(notice) - 1000 };
    expect(await passedThrough({ ...told, options })).toEqual({ text: told.body, error: undefined, told: [] });
  });

  test.each([
    ["a text", (text: string): string | Uint8Array<ArrayBuffer> | Blob => text],
    ["bytes", (text: string): string | Uint8Array<ArrayBuffer> | Blob => new TextEncoder().encode(text)],
    ["a Blob", (text: string): string | Uint8Array<ArrayBuffer> | Blob => new Blob([text])],
  ])("of a request that is %s", async (_, bodyOf) => {
    const open = {
      role: "assistant",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    const text = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: long }, open, { role: "user", content: "?" }],
    });
    const repairs = async (maxBytes: number): Promise<number> => {
      let count = 0;
      const send = wrapFetch({
        fetch: async () => Response.json({}),
        logger: false,
        maxBytes,
        onRepair: () => void count++,
      });
      await send(chat.url, { method: "POST", headers: { "content-type": "application/json" }, body: bodyOf(text) });
      return count;
    };
    expect([await repairs(bytesOf(text)), await repairs(bytesOf(text) - 1)]).toEqual([1, 0]);
  });
});
