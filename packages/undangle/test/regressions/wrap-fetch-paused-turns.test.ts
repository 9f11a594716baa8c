import { describe, expect, test } from "vitest";

import { argumentsIn, json, over, reason, start, stop, text as said, use } from "../clients/message-events.ts";
import { passedThrough, ways } from "../clients/passed-through.ts";
import { messages } from "../clients/requests.ts";

/** A call that stopped right behind its name was run without arguments where the turn was only interrupted. */
const paused = reason("pause_turn") + over;

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["nothing", use(1, "wipe") + stop(1)],
    ["an empty piece", use(1, "wipe") + json(1, "") + stop(1)],
    ["an empty piece and no end", use(1, "wipe") + json(1, "")],
  ])("a call is cut off that has %s behind its name", async (_, call) => {
    const body = start + said(0, "Hé") + call + paused;
    const { text, error, told } = await passedThrough({ ...messages, ...way, body });
    expect(error).toContain("The response was cut off in the middle of a tool call");
    expect(text).toContain("Hé");
    expect(text).not.toMatch(/message_stop|"content_block_stop","index":1/u);
    expect(told).toHaveLength(1);
  });

  test("a call whose arguments are whole stays", async () => {
    const body = start + use(0, "wipe") + json(0, '{"x":') + json(0, "1}") + stop(0) + paused;
    const { text, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(text)).toBe('{"x":1}');
  });

  test("a call without arguments stays where another block follows it", async () => {
    const body = start + use(0, "wipe") + json(0, "") + stop(0) + said(1, "Hé") + paused;
    const { text, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain("wipe");
  });

  test("a text passes as it came", async () => {
    const body = start + said(0, "H", "é") + paused;
    expect(await passedThrough({ ...messages, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});
