/** The tables that people wrote into the documents, held against the code. */
import { readFileSync } from "node:fs";
import { assemble, repair, renderNotice, check, UndangleError } from "undangle";
import type { Cause } from "undangle";
import { faults } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { sentences } from "../packages/undangle/src/core/errors.ts";
import { anomalies } from "../packages/undangle/src/core/stream/anomalies.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const api = read("docs/reference/api.md");

/** The rows of the table that has this word in the first cell of its head, without the head. */
function tableOf(text: string, head: string): readonly (readonly string[])[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** The texts in backticks. */
const codes = (text = ""): readonly string[] => [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);

/** What the library says is allowed in place of something that is not. */
function allowed(ask: () => unknown): readonly string[] {
  try {
    ask();
  } catch (error) {
    if (isOurs(error) && "allowed" in error.data) return error.data.allowed;
    if (isOurs(error) && "supported" in error.data) return error.data.supported;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** An error of the library, of any code. */
const isOurs = (error: unknown): error is UndangleError => error instanceof UndangleError;

const wrong = (option: string, others: object = {}): object => ({ [option]: "no such thing", ...others });

describe("docs/reference/api.md", () => {
  const faces = [
    "index.ts",
    "middleware/public-names.ts",
    "model/index.ts",
    "files/public-names.ts",
    "client/index.ts",
    "config/index.ts",
    "adapters/ai-sdk.ts",
    "adapters/langchain.ts",
    "store/memory.ts",
    "store/postgres.ts",
    "store/sqlite.ts",
    "testing/index.ts",
  ]; // what each entry of the package exports
  const face = faces.map((path) => read(`packages/undangle/src/${path}`)).join("\n");
  const listed = [...face.matchAll(/^export (?:type )?\{([^}]+)\}/gmu)].flatMap(([, names = ""]) => names.split(","));
  const declared = [...face.matchAll(/^export (?:(?:async )?function|const|class|interface|type) (\w+)/gmu)];
  const names = [...listed.map((name) => name.trim()), ...declared.map(([, name = ""]) => name)].filter(Boolean);
  const headings = [...api.matchAll(/^### (\w+)$/gmu)].map(([, name = ""]) => name);

  test("has a heading for each public name and for nothing else", () => {
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(headings)).toEqual(new Set(names));
    expect(headings).toHaveLength(new Set(names).size);
  });

  test("lists the error codes in the order of the code", () => {
    const documented = tableOf(api, "code").flatMap(([code]) => codes(code));
    expect(documented).toEqual(Object.keys(sentences));
  });

  const options = tableOf(api, "option").map(([name, values, byDefault]) => ({
    name: codes(name)[0] ?? "",
    values: codes(values),
    byDefault: codes(byDefault)[0],
  }));

  test("lists the options of repair, the first of them those of check", () => {
    const documented = options.map(({ name }) => name);
    expect(documented).toEqual(allowed(() => repair([], wrong("option"))));
    const ofCheck = allowed(() => check([], wrong("option")));
    expect(documented.slice(0, ofCheck.length)).toEqual(ofCheck);
  });

  test.each(options.filter(({ values }) => values.length > 0))("lists the values of $name", ({ name, values }) => {
    expect(values).toEqual(allowed(() => repair([], wrong(name))));
  });

  test.each(options.filter(({ values, byDefault = "" }) => values.includes(byDefault)))(
    "says the default of $name",
    ({ name, values, byDefault }) => {
      const differs = values.filter((value) => outcome({ [name]: value }) !== outcome({}));
      expect(differs).toEqual(values.filter((value) => value !== byDefault));
    },
  );
});

/** What becomes of a history in which every policy has something to do. */
function outcome(options: object): string {
  const call = (id: string) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "ls", arguments: "{}" } }],
  });
  const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
  const history = [result("call_0", "a"), call("call_1"), result("call_1", "a"), result("call_1", "b"), call("call_2")];
  const { output, format } = repair(history, options);
  return JSON.stringify([output, format]);
}

describe("docs/guide/notices.md", () => {
  const rows = tableOf(read("docs/guide/notices.md"), "cause").map((cells) => cells.flatMap(codes));
  const call = { id: "call_1", name: "ls" };

  test.each(rows)("%s is told so", (cause, english = "", chinese = "") => {
    expect(renderNotice(call, cause as Cause)).toBe(`Tool call ls with id call_1${english}`); // a word of the table
    expect(renderNotice(call, cause as Cause, { language: "zh" })).toBe(`工具调用 ls(ID 为 call_1)${chinese}`);
  });

  test("no cause is missing", () => {
    const union = /### Cause\n\n(`[^`]+`)/u.exec(api)?.[1] ?? "";
    const causes = [...union.matchAll(/"([\w-]+)"/gu)].map(([, cause]) => cause);
    expect(causes.length).toBeGreaterThan(5);
    expect([...rows.map(([cause]) => cause), "rejected"]).toEqual(causes);
  });
});

describe("docs/guide/streams.md", () => {
  const guide = read("docs/guide/streams.md");

  test("has every anomaly on the page anomalies.md, in the order of the code", () => {
    const rows = tableOf(read("docs/guide/anomalies.md"), "kind").map(([kind, sentence]) => [codes(kind)[0], sentence]);
    expect(rows).toEqual(Object.entries(anomalies));
  });

  test("lists the options of assemble, and the formats", () => {
    const documented = tableOf(guide, "assemble option").flatMap(([name]) => codes(name));
    expect(documented).toEqual(allowed(() => assemble("", { format: "openai-chat", ...wrong("option") })));
    const formats = allowed(() => assemble("", { format: "no such thing" as "ollama" })); // that is the question
    const named = codes(/The formats are ([^.]+)\./u.exec(guide)?.[1]);
    expect(named).toEqual(formats);
    expect(/### StreamFormat\n\n`([^`]+)`/u.exec(api)?.[1]).toBe(formats.map((name) => `"${name}"`).join(" | "));
  });

  test("says what each state means", () => {
    const states = tableOf(guide, "state").flatMap(([state]) => codes(state));
    expect(/### AssembledCall\n[^]*?state: ([^;]+);/u.exec(api)?.[1]).toBe(
      states.map((name) => `"${name}"`).join(" | "),
    );
  });
});

describe("formats and providers", () => {
  const formats = allowed(() => repair([], wrong("format")));
  const providersOf = (format: string) => allowed(() => repair([], wrong("provider", { format })));
  const guide = read("docs/guide/providers.md");

  test.each(formats)("docs/guide/providers.md has a row for each provider of %s", (format) => {
    const section = guide.slice(guide.indexOf(`\n## ${format}\n`));
    expect(tableOf(section, "provider").map(([name]) => codes(name)[0])).toEqual(providersOf(format));
  });
});

describe("docs/guide/faults.md", () => {
  test("has a row for each fault, with its outcome", () => {
    const rows = tableOf(read("docs/guide/faults.md"), "fault").map(([name, , outcome]) => [codes(name)[0], outcome]);
    expect(rows).toEqual(Object.entries(faults).map(([name, { outcome }]) => [name, outcome]));
  });
});
