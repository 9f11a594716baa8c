import { createAgent, mcpTools, tool } from "#engine";
import type { McpClient } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

const letters = `${"a".repeat(60)}!`;

/** Sixty letters against these would take for longer than anybody waits. */
const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "a pattern": { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } },
  "a pattern without nested repetition": {
    type: "object",
    properties: { text: { type: "string", pattern: "^(a|a)*$" } },
  },
  "a pattern in a reference": {
    type: "object",
    properties: { text: { $ref: "#/$defs/t" } },
    $defs: { t: { type: "string", pattern: "^(a|aa)+$" } },
  },
  "a pattern for names": { type: "object", patternProperties: { "^(a+)+$": { type: "string" } } },
  "a pattern in propertyNames": { type: "object", propertyNames: { pattern: "^(a+)+$" } },
};

describe("a schema whose check never ends does not stop the process:", () => {
  test.each(Object.entries(schemas))("%s", async (_, inputSchema) => {
    let isCalled = false;
    const client: McpClient = {
      listTools: async () =>
        Promise.resolve({ tools: [{ name: "match", inputSchema: inputSchema as { type: "object" } }] }),
      callTool: async () => {
        isCalled = true;
        return Promise.resolve({ content: [] });
      },
    };
    const calls = [{ name: "match", arguments: { text: letters, [letters]: letters } }];
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const thread = createAgent({ model, tools: [await mcpTools(client)] }).thread("t");
    expect((await thread.send("Go.").result).status).toBe("done");
    expect(isCalled).toBe(false);
    expect((await thread.calls())[0]?.error).toMatch(/The arguments could not be checked within 1000 ms/u);
  });

  test("references that fan out are refused when the tool is made", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    const input = { type: "object", $defs: { ...$defs, d60: {} }, $ref: "#/$defs/d0" };
    expect(() => tool({ name: "fan", description: "Fans out.", input, execute: () => "" })).toThrow(/within 1000 ms/u);
  });

  test("in an edit of a person, which is refused", async () => {
    const input = schemas["a pattern"] ?? {};
    const match = tool({ name: "match", description: "Matches.", input, approval: true, execute: () => "matched" });
    const model = scriptedModel([{ calls: [{ name: "match", arguments: { text: "aa" } }] }, { text: "Done." }]);
    const thread = createAgent({ model, tools: [match] }).thread("t");
    await thread.send("Go.").result;
    const { error } = await thread.decide({ call_1: { type: "edit", arguments: { text: letters } } }).result;
    expect(error?.message).toMatch(/call_1: .*could not be checked within 1000 ms/u);
    expect((await thread.approveAll().result).status).toBe("done");
  });
});

test("patterns are checked as before where they take no time", async () => {
  const input = { type: "object", properties: { code: { type: "string", pattern: "^[A-Z]{3}$" } }, required: ["code"] };
  const made = tool({ name: "t", description: "T.", input, execute: () => "" });
  expect(await made.validate({ code: "ABC" })).toEqual({ ok: true, value: { code: "ABC" } });
  expect(await made.validate({ code: "abc" })).toEqual({
    ok: false,
    problems: ['`code` must match the pattern ^[A-Z]{3}$, but it is "abc"'],
  });
});
