import { expect, test } from "vitest";

import { chunk, events, passedThrough } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Deeper than the stack of JavaScript, so that an event with it can be read but not written. */
const depth = 30_000;
const unknown = `data: {"x":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
const said = events(chunk({ role: "assistant", content: "Hi" }), chunk({}, "stop"));

/** An event that cannot be handled passes, with everything after it, if nothing before it was changed. */
test.each([
  ["", "\n\n"],
  [" without a blank line", "\n"],
  [" without a line end", ""],
])("a last event%s that cannot be handled passes as it arrived", async (_, end) => {
  const body = `${said}${unknown}${end}`;
  for (const toolCalls of ["hold", "stream"] as const)
    for (const size of [Infinity, 10_000])
      expect(await passedThrough({ ...chat, body, size, toolCalls })).toEqual({
        text: body,
        error: undefined,
        told: [],
      });
});
