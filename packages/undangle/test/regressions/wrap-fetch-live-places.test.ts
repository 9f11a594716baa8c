import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import { ending, json, start, stop, use } from "../clients/message-events.ts";
import { done, events, passedThrough } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** Calls that are written while they come: those without arguments were told behind all others, and long ones took for ever. */
const live = { toolCalls: "stream" } as const;
const begins = (index: number, name: string, given: string): object =>
  calls({ ...begun(index, name, given), id: null });
const goesOn = (index: number, given: string): object => calls(more(index, given));

describe("calls that are written while they come stay in their order", () => {
  test.each([
    ["an empty object", "{}"],
    ["nothing", ""],
    ["null", "null"],
  ])("in chat, behind one with %s for its arguments", async (_, given) => {
    const body = events(role, begins(0, "a", given), begins(1, "b", '{"x"'), goesOn(1, ":1}"), end, done);
    const { text, error } = await passedThrough({ ...chat, ...live, body });
    expect(error).toBeUndefined();
    expect(namesIn(text)).toEqual(["a", "b"]);
    expect(text).toContain('"index":0,"function":{"arguments":"{}"}');
  });

  test("in Anthropic's format", async () => {
    const first = use(1, "a", "same") + json(1, "{}") + stop(1);
    const second = use(2, "b", "same") + json(2, '{"x"') + json(2, ":1}") + stop(2);
    const { text, error } = await passedThrough({ ...messages, ...live, body: start + first + second + ending });
    expect(error).toBeUndefined();
    expect(namesIn(text)).toEqual(["a", "b"]);
  });
});

test("a megabyte of arguments in a hundred thousand pieces is written as it comes", async () => {
  const pieces = Array.from({ length: 100_000 }, (_, i) => goesOn(0, `piece ${i} `.slice(0, 10)));
  const body = events(role, begins(0, "a", '{"text":"'), ...pieces, goesOn(0, '"}'), end, done);
  const { text, error } = await passedThrough({ ...chat, ...live, body });
  expect(error).toBeUndefined();
  expect(text).toContain("piece 9999");
});

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/"name":"(\w+)"/gu)].map(([, name = ""]) => name);
