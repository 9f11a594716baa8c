import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { assemble } from "undangle";
import type { StreamFormat } from "undangle";
import { describe, expect, test } from "vitest";

const require = createRequire(import.meta.url);

/** The types that a package declares in a file. */
function typesOf(name: string, file: string): string {
  const paths = require.resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      return readFileSync(join(path, name, file), "utf8");
    } catch {
      continue; // it is installed further up
    }
  }
  throw new Error(`${dirname(name)} is not installed`);
}

/** The texts between quotes of the first match. */
const quoted = (types: string, pattern: RegExp): readonly string[] =>
  [...(pattern.exec(types)?.[1] ?? "").matchAll(/["']([\w.]+)["']/gu)].map(([, text = ""]) => text);

const anthropic = typesOf("@anthropic-ai/sdk", "resources/beta/messages/messages.d.ts");
const chat = typesOf("openai", "resources/chat/completions/completions.d.ts");
const responses = typesOf("openai", "resources/responses/responses.d.ts");
const gemini = typesOf("@google/genai", "dist/genai.d.ts");
const bedrock = typesOf("@aws-sdk/client-bedrock-runtime", "dist-types/models/enums.d.ts");

const sse = (...values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");

/** The end of a stream that gives a reason, and the reasons that the provider's SDK knows. */
const formats: readonly (readonly [
  format: StreamFormat,
  reasons: readonly string[],
  end: (reason: string) => unknown,
])[] = [
  [
    "anthropic",
    quoted(anthropic, /export type BetaStopReason =([^;]+);/u),
    (reason) => sse({ type: "message_delta", delta: { stop_reason: reason } }, { type: "message_stop" }),
  ],
  [
    "openai-chat",
    quoted(chat, /finish_reason: ([^;]+);/u),
    (reason) => sse({ object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
  ],
  [
    "gemini",
    quoted(gemini, /enum FinishReason \{([^}]+)\}/u),
    (reason) => sse({ candidates: [{ content: { role: "model", parts: [] }, finishReason: reason }] }),
  ],
  ["bedrock", quoted(bedrock, /const StopReason: \{([^}]+)\}/u), (reason) => [{ messageStop: { stopReason: reason } }]],
];

describe.each(formats)("every reason for an end that the SDK of %s knows", (format, reasons, end) => {
  test("is known", async () => {
    expect(reasons.length).toBeGreaterThan(4);
    for (const reason of reasons) {
      const { anomalies } = await assemble(end(reason) as string, { format }).turn(); // a text, or frames
      expect({ reason, odd: anomalies.filter(({ kind }) => kind === "finish-unknown") }).toEqual({ reason, odd: [] });
    }
  });
});

test("generation that can be continued is not complete", async () => {
  const source = sse({
    candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "CONTINUATION" }],
  });
  expect(await assemble(source, { format: "gemini" }).turn()).toMatchObject({ finish: "length", complete: false });
});

test("every event that OpenAI's SDK streams is read without a complaint", async () => {
  const events = quoted(responses, /([^]*)/u).filter((text) => /^response\.\w+(?:\.\w+)+$/u.test(text));
  expect(events.length).toBeGreaterThan(40);
  for (const type of new Set(events)) {
    const { anomalies } = await assemble(sse({ type }), { format: "openai-responses" }).turn();
    expect({ type, odd: anomalies.filter(({ kind }) => kind === "frame-unknown") }).toEqual({ type, odd: [] });
  }
});
