import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "#codecs";
import type { Format } from "#codecs";
import type { ModelRequest } from "#model";
import { wireServer } from "#testing";
import type { WireServer } from "#testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { hear } from "./asking.ts";

const folder = process.env["UNDANGLE_CORPUS"] ?? "";
const isThere = existsSync(join(folder, "recorded.jsonl"));

interface Case {
  readonly id: string;
  readonly format: Format;
  readonly request: Readonly<Record<string, unknown>> | readonly unknown[];
}

function casesIn(name: string): readonly Case[] {
  if (!isThere) return [];
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Case); // our own file format
}

/** The history of a request as a model is asked to go on with it. */
function asked({ request, format }: Case): Partial<ModelRequest> {
  const { messages, setting } = decode(request, { from: format }).conversation;
  const tools = (setting?.tools ?? []).map(({ name, description, schema }) => ({
    name,
    description,
    schema: (schema ?? { type: "object", properties: {} }) as ModelRequest["tools"][number]["schema"], // as it was recorded
  }));
  return { messages, tools };
}

describe.runIf(isThere)("the histories in the folder that UNDANGLE_CORPUS names (skipped where it names none)", () => {
  const cases = ["recorded", "healthy", "broken"].flatMap(casesIn);
  let server: WireServer | undefined;

  beforeAll(async () => {
    server = await wireServer({ turns: () => ({ text: "Good." }) });
  });

  afterAll(() => server?.close());

  test.each(cases)("$id goes on with any model of the AI SDK", async (one) => {
    const request = asked(one);
    const problems: unknown[] = [];
    for (const family of aiSdkFamilies) {
      const url = server?.baseUrl(family.format) ?? "";
      const { error, turn } = await hear(modelOf(family, url, { retries: 0 }), request);
      if (turn?.text !== "Good.") problems.push([family.name, error instanceof Error ? error.message : error]);
    }
    expect(problems).toEqual([]);
  });
});
