import { describe, expect, test } from "vitest";

import { begun, calls, end, more } from "../clients/chat-chunks.ts";
import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** The mark of the end stood where it came, also in the middle of a call: clients stop there, and take what they have. */
const parts = [
  chunk({ role: "assistant", content: "Hé" }),
  calls(begun(0, "find_book", '{"x"')),
  calls(more(0, ":1}")),
  end,
] as const;
const meant = { text: "Hé", calls: [["find_book", { x: 1 }]], error: undefined };

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([0, 1, 2, 3])("a mark in front of chunk %i goes to the end", async (at) => {
    for (const last of [done, ""]) {
      const body = events(...parts.slice(0, at), done, ...parts.slice(at), last);
      const { text, error, told } = await passedThrough({ ...chat, ...way, body });
      expect({ text, error }).toEqual({ text: events(...parts, done), error: undefined });
      expect(told).toHaveLength(1);
    }
  });

  test.each([
    ["two blanks", "data:  [DONE]\n\n"],
    ["a blank behind it", "data: [DONE] \n\n"],
    ["something behind it", "data: [DONE]!\n\n"],
  ])("a mark with %s is written as all know it", async (_, mark) => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: events(...parts, mark) });
    expect({ text, error }).toEqual({ text: events(...parts, done), error: undefined });
  });

  test.each([
    ["two marks", done + done],
    ["a mark without a blank", "data:[DONE]\n\n"],
    ["a mark with a comment behind it", `${done}: bye\n\n`],
    ["a mark and line breaks of the other kind", "data: [DONE]\r\n\r\n"],
  ])("%s at the end stay as they came", async (_, mark) => {
    const body = events(...parts, mark);
    expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("what others have sent behind a mark is not lost when more of the answer follows", async () => {
    const { text } = await passedThrough({
      ...chat,
      ...way,
      body: events(...parts.slice(0, 2), done, ": note\n\n", { sources: [] }, ...parts.slice(2)),
    });
    expect(text).toContain(": note\n\n");
    expect(text).toContain('"sources":[]');
    expect(text.endsWith(done)).toBe(true);
    expect(text.split(done)).toHaveLength(2);
  });

  test("a call that was cut off in front of it is cut off", async () => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: events(...parts.slice(0, 2), done, done) });
    expect(error).toContain("cut off in the middle of a tool call");
    expect(text).not.toContain("[DONE]");
  });

  test("a mark in front of an error does not hide that", async () => {
    for (const failed of [chunk({}, "error"), chunk({}, null, { error: { message: "Bad" } })]) {
      const body = events(...parts.slice(0, 3), done, failed);
      const { text, error } = await passedThrough({ ...chat, ...way, body });
      expect(error !== undefined || !text.includes("find_book")).toBe(true);
      expect(error === undefined || !text.includes("[DONE]")).toBe(true);
    }
  });

  test("a mark in the event of the last chunk is none of its lines", async () => {
    const body = events(...parts.slice(0, 3), events(...parts.slice(3)).trimEnd(), "\ndata: [DONE]\n\n");
    const { text, error } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(text).not.toMatch(/\}\ndata: \[DONE\]/u);
    expect(text).toMatch(/"finish_reason":"tool_calls"/u);
  });
});

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each([
    ["in the middle of a call", events(parts[0], parts[1], done, parts[2], parts[3], done)],
    ["in front of the reason", events(parts[0], parts[1], parts[2], done, parts[3])],
    ["with two blanks", events(...parts, "data:  [DONE]\n\n")],
    [
      "in the event of the last chunk",
      events(...parts)
        .trimEnd()
        .concat("\ndata: [DONE]\n\n"),
    ],
  ])("reads all where the mark stands %s", async (_, body) => {
    expect(await plainlyHeard(body, way)).toEqual(meant);
  });
});
