/** The tables of the guide to models, held against the code. */
import { readFileSync } from "node:fs";
import { UndangleError } from "undangle";
import { modelNamed } from "undangle/models";
import { describe, expect, test } from "vitest";
import { sentences } from "../packages/undangle/src/core/errors.ts";
import { optionNames } from "../packages/undangle/src/model/http-model-options.ts";
import { presetNames } from "../packages/undangle/src/model/providers/presets.ts";

const guide = readFileSync(new URL("../docs/guide/models.md", import.meta.url), "utf8");

/** The rows of the table whose head begins with a word, as the cells of each. */
function tableOf(head: string): readonly (readonly string[])[] {
  const lines = guide.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) => line.slice(1, -1).split("|"));
}

/** The texts in backticks. */
const codes = (text = ""): readonly string[] => [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);

/** The variables that may hold the key of a provider, by the error that names them; none where none is needed. */
async function variablesOf(provider: string): Promise<readonly string[]> {
  const fetch = () => Promise.resolve(new Response("", { status: 418 }));
  const model = modelNamed(`${provider}/some-model`, { env: {}, fetch, retries: 0 });
  const { signal } = new AbortController();
  const stream = model.stream({ system: [], messages: [], tools: [], knownIds: [], language: "en", signal });
  const error = await stream.turn().catch((thrown: unknown) => thrown);
  return error instanceof UndangleError && error.is("model/auth") ? (error.data.variables ?? []) : [];
}

describe("docs/guide/models.md", () => {
  test("lists the options of models", () => {
    expect(new Set(tableOf("option").flatMap(([names]) => codes(names)))).toEqual(new Set(optionNames));
  });

  test("lists the errors of models over HTTP", () => {
    const documented = tableOf("code").flatMap(([code]) => codes(code));
    const known = Object.keys(sentences).filter((code) => code.startsWith("model/"));
    const others = ["model/failed", "model/faulty", "model/unknown"];
    expect(documented.toSorted()).toEqual(known.filter((code) => !others.includes(code)).toSorted());
  });

  const rows = tableOf("model");
  const rowOf = (provider: string): readonly string[] | undefined =>
    rows.find(([first = ""]) => first.includes(`"${provider}"`) || first.includes(`\`${provider}(`));

  test.each(["openai", "anthropic", "gemini", "mistral", "ollama", ...presetNames])(
    "names the variables of %s",
    async (provider) => {
      const documented = codes(rowOf(provider)?.[1]);
      const known = await variablesOf(provider);
      expect(known.length === 0 ? [] : documented).toEqual(known);
    },
  );
});
