import { expect, test } from "vitest";

import { findKey, showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";

/** The line and the column of a mark in a source, which is taken out. */
function marked(source: string): { readonly source: string; readonly at: string } {
  const before = source.slice(0, source.indexOf("▸")).split("\n");
  return { source: source.replace("▸", ""), at: `${before.length}:${(before.at(-1)?.length ?? 0) + 1}` };
}

test.each<readonly [title: string, source: string, path: KeyPath]>([
  ["a key", `export default { ▸agents: {} };`, ["agents"]],
  [
    "a key in a key",
    `export default defineConfig({ agents: {\n  mail: { ▸model: "x" } } });`,
    ["agents", "mail", "model"],
  ],
  ["a key in quotes", `export default { agents: { ▸"my agent": {} } };`, ["agents", "my agent"]],
  ["an element", `export default { tools: [one, ▸two] };`, ["tools", 1]],
  ["an element behind calls with commas", `export default { tools: [f(1, { a: 2 }), ▸two] };`, ["tools", 1]],
  ["a key in an element", `export default { personas: [{ id: "a" }, { ▸id: "b" }] };`, ["personas", 1, "id"]],
  [
    "a key behind comments and strings",
    `export default { // agents: {\n /* agents: { */ language: "agents: {", ▸agents: {} };`,
    ["agents"],
  ],
  ["a short form", `export default { agents: { ▸mail } };`, ["agents", "mail"]],
  ["a method", `export default { ▸store() { return { agents: 1 }; } };`, ["store"]],
  [
    "a key of a constant that is exported",
    `const config: Config = { ▸agents: {} };\nexport default config;`,
    ["agents"],
  ],
  ["the exported one of two", `const other = { agents: 1 };\nexport default { ▸agents: {} };`, ["agents"]],
  ["not what is imported", `import { agents } from "./a.ts";\nexport default { ▸agents };`, ["agents"]],
  ["the nearest key above one that is elsewhere", `export default { agents: { ▸mail } };`, ["agents", "mail", "model"]],
  ["what is exported, for a key that is nowhere", `import x from "y";\n▸export default x;`, ["agents"]],
])("finds %s", (_, text, path) => {
  const { source, at } = marked(text);
  const { line, column } = findKey(source, path) ?? { line: 0, column: 0 };
  expect(`${line}:${column}`).toBe(at);
});

test("finds nothing where there is nothing", () => {
  expect(findKey("", ["agents"])).toBeUndefined();
  expect(findKey("module.exports = make();", ["agents"])).toBeUndefined();
});

test("a way is written as code would write it", () => {
  expect(showKey(["agents", "mail", "tools", 0])).toBe("agents.mail.tools[0]");
  expect(showKey(["agents", "my agent"])).toBe('agents["my agent"]');
});
