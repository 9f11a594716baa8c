import { UndangleError } from "undangle";
import { describe, expect, test } from "vitest";

import { readPersona } from "./read-persona.ts";

const whole = `---
id: clerk
name: The clerk
model: demo
tools: [read_mail, transfer]
approvals:
  - transfer
  - tools: read_*
    when: always
language: zh
---

You manage invoices.

Be brief.
`;

test("a persona is read from its fields and the text behind them", () => {
  expect(readPersona(whole, "clerk.md").persona).toEqual({
    id: "clerk",
    name: "The clerk",
    model: "demo",
    tools: ["read_mail", "transfer"],
    approvals: [{ tools: "transfer" }, { tools: "read_*", when: "always" }],
    language: "zh",
    instructions: "You manage invoices.\n\nBe brief.",
  });
});

test.each([
  ["with lines of Windows", whole.replaceAll("\n", "\r\n")],
  ["with a mark of its byte order", `\uFEFF${whole}`],
  ["with blanks behind the dashes", whole.replaceAll("---\n", "--- \n")],
])("also %s", (_, text) => {
  expect(readPersona(text, "clerk.md").persona).toMatchObject({ id: "clerk", language: "zh" });
});

test("a name can be left out, and dashes in the text stay there", () => {
  const { persona } = readPersona("---\nid: a\n---\nOne.\n---\nTwo.", "a.md");
  expect(persona).toEqual({ id: "a", name: "a", instructions: "One.\n---\nTwo." });
});

describe("what is wrong is told with its line", () => {
  const withFields = (fields: string): string => `---\n${fields}\n---\nHello.`;
  test.each([
    ["no fields", "You are helpful.", "a.md:1:1"],
    ["fields without an end", "---\nid: a\nHello.", "a.md:1:1"],
    ["no text", "---\nid: a\n---\n  \n", "a.md:1:1"],
    ["no id", withFields("name: A"), "a.md:2:1"],
    ["an id with blanks", withFields("name: A\nid: a b"), "a.md:3:1"],
    ["an id that is a number", withFields("name: A\nid: 7"), "a.md:3:1"],
    ["a key that does not exist", withFields("id: a\nmodle: demo"), "a.md:3:1"],
    ["a list in place of fields", withFields("- id\n- name"), "a.md:2:1"],
    ["tools that are no list", withFields("id: a\nname: A\ntools: transfer"), "a.md:4:1"],
    ["a tool that is no name", withFields("id: a\ntools: [transfer, 7]"), "a.md:3:1"],
    ["approvals that are no list", withFields("id: a\napprovals: yes"), "a.md:3:1"],
    ["an approval of nothing", withFields("id: a\napprovals: [7]"), "a.md:3:1"],
    ["a language that is not spoken", withFields("id: a\nlanguage: fr"), "a.md:3:1"],
    ["a model that is no name", withFields("id: a\nmodel: [demo]"), "a.md:3:1"],
    ["YAML that is none", withFields("id: a\nname: [A"), "a.md:3:"],
    ["a key twice", withFields("id: a\nid: b"), "a.md:3:1"],
    ["an alias of nothing", withFields("id: *a"), "a.md:"],
    ["an alias that grows without end", withFields(bomb()), "a.md:"],
  ])("%s", (_, text, place) => {
    const fault = faultOf(() => readPersona(text, "a.md"));
    expect(fault.code).toMatch(/^config\//u);
    expect(fault.message.startsWith(place)).toBe(true);
  });
});

/** Ten lists of ten lists of ten lists … */
function bomb(): string {
  const names = "abcdefgh".split("");
  const rows = names.map((name, i) => {
    const before = names[i - 1];
    return `${name}: &${name} [${Array.from({ length: 10 }, () => (before === undefined ? "x" : `*${before}`)).join(", ")}]`;
  });
  return rows.join("\n");
}

function faultOf(read: () => unknown): UndangleError {
  try {
    read();
  } catch (error) {
    if (error instanceof UndangleError) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}
