import fc from "fast-check";
import { check, repair } from "undangle";
import type { RepairOptions } from "undangle";
import { describe, expect, test } from "vitest";
import { generate, lostTexts, messagesOf, saidIn } from "./judge/generate.ts";
import { judge } from "./judge/judge.ts";
import type { Court, Format } from "./judge/judge.ts";
import { distort } from "./judge/mutate.ts";
import { formats, subjects } from "./judge/subjects.ts";

const providers = [
  undefined,
  "openai",
  "azure",
  "mistral",
  "deepseek",
  "moonshot",
  "minimax",
  "zhipu",
  "dashscope",
  "xai",
  "mimo",
  "groq",
  "openrouter",
  "cohere",
  "vllm",
  "sglang",
  "llamacpp",
] as const;

const models = [
  undefined,
  "gpt-4o",
  "gpt-5.1",
  "ministral-8b",
  "llama-3.1-8b",
  "open-mixtral-8x22b",
  "anthropic/claude-opus-4.7",
  "google/gemini-2.5-pro",
  "deepseek-chat",
  "glm-4.6",
  "qwen3-max",
  "deepseek/deepseek-chat-v3.1",
  "deepseek/deepseek-v4-flash",
  "mimo-v2.5",
];

/** What some providers take, and others refuse. */
const shown = [
  { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQ=" } },
  { type: "file", file: { file_id: "file-1" } },
  { type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } },
  { type: "image_url", image_url: { url: "https://example.org/a.png" } },
  { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
];

interface Case {
  readonly body: unknown;
  readonly options: Court;
}

/** A healthy conversation with some damage done to it, for one provider. */
const damaged: fc.Arbitrary<Case> = fc
  .record({
    format: fc.constantFrom(...formats),
    seed: fc.nat(),
    size: fc.integer({ min: 1, max: 6 }),
    damage: fc.array(fc.nat(), { maxLength: 5 }),
    provider: fc.constantFrom(...providers),
    model: fc.constantFrom(...models),
    media: fc.array(fc.constantFrom(...shown), { maxLength: 2 }),
    label: fc.constantFrom("png", "png", "jpg", "gif", "svg+xml"),
    bare: fc.boolean(),
  })
  .map(({ format, seed, size, damage, provider, model, media, label, bare }) => {
    const isChat = format === "openai-chat";
    const healthy = generate(format, seed, size);
    const seen = isChat && media.length > 0 ? show(media, healthy) : mislabel(healthy, label);
    const mutated = damage.reduce((body: unknown, each) => distort(body, format, each), seen);
    const named = isChat && model !== undefined ? { ...(mutated as object), model } : mutated;
    const body = bare ? messagesOf(named, format) : named;
    return { body, options: { format, ...(isChat && provider !== undefined ? { provider } : {}) } };
  });

/** The conversation behind one more message, which shows something. */
function show(media: readonly object[], body: unknown): unknown {
  const { messages, ...rest } = body as { readonly messages: readonly unknown[] }; // a chat body of the generator's
  return {
    ...rest,
    messages: [{ role: "user", content: [{ type: "text", text: "Look at that." }, ...media] }, ...messages],
  };
}

/** The conversation with images that are said to be of another type; those of Gemini go to a model of the second generation. */
function mislabel(body: unknown, label: string): unknown {
  if (label === "png") return body;
  const text = JSON.stringify(body).replaceAll("image/png", `image/${label}`);
  const named = text
    .replaceAll('"format":"png"', `"format":"${label}"`)
    .replaceAll(/gemini-3[\w.-]*/gu, "gemini-2.5-pro");
  return JSON.parse(named) as unknown;
}

function forAll(holds: (given: Case) => void): void {
  fc.assert(fc.property(damaged, holds));
}

const timeout = 120_000;

describe("the six promises, over damaged histories of every provider", () => {
  test("1. healthy after: only what cannot be repaired is left, and an independent judge agrees", { timeout }, () => {
    forAll(({ body, options }) => {
      const { output, problems } = repair(body, options);
      expect(problems.filter((problem) => problem.repairable)).toEqual([]);
      expect(problems.length > 0 ? [] : judge(output, options)).toEqual([]);
    });
  });

  test("2. idempotent: repairing again gives the same reference", { timeout }, () => {
    forAll(({ body, options }) => {
      const { output } = repair(body, options);
      expect(repair(output, options).output).toBe(output);
    });
  });

  test("3. nothing else touched: a message that is not the input's is one that an edit speaks of", { timeout }, () => {
    forAll(({ body, options }) => {
      const { output, edits } = repair(body, options);
      const given = new Set(messagesOf(body, options.format));
      const kept = new Set(messagesOf(output, options.format));
      // A message that something was taken out of is told by where that was; one that a restored call divides, by that call.
      const isCut = messagesOf(body, options.format).some(
        (message, index) => !kept.has(message) && edits.some(({ from }) => isAt(from, index)),
      );
      const unspoken = messagesOf(output, options.format).filter(
        (message, index) => !given.has(message) && !edits.some(({ to }) => isAt(to, index)),
      );
      const isDivided = edits.some(({ type }) => type === "restore" || type === "quote");
      expect(unspoken.length === 0 || isCut || isDivided).toBe(true);
      expect(edits.length > 0 || output === body).toBe(true);
    });
  });

  test("4. nothing lost: every result and every text of the input stands in the output", { timeout }, () => {
    forAll(({ body, options }) => {
      expect(lostTexts(saidIn(body, options.format), repair(body, options).output)).toEqual([]);
    });
  });

  test("5. deterministic: the same input gives the same bytes, and is itself left alone", { timeout }, () => {
    forAll(({ body, options }) => {
      const before = JSON.stringify(body);
      const first = JSON.stringify(repair(body, options));
      expect(JSON.stringify(repair(JSON.parse(before), options))).toBe(first);
      expect(JSON.stringify(body)).toBe(before);
    });
  });

  test("6. a history that grows keeps every message that was written before", { timeout }, () => {
    forAll(({ body, options: { format } }) => {
      const { listKey, userMessage, isOpenEnded } = subjects[format];
      const { output, problems } = repair(body, { format });
      const list = messagesOf(output, format);
      const longer = [...list, userMessage];
      const grown = repair(Array.isArray(output) ? longer : { ...(output as object), [listKey]: longer }, { format });
      const kept = new Set(messagesOf(grown.output, format));
      const mayChange = problems.length > 0 || isOpenEnded(list);
      expect(mayChange ? [] : list.filter((message) => !kept.has(message))).toEqual([]);
    });
  });

  test(
    "edits tell the truth: what they say was there was there, and what they say is there is there",
    { timeout },
    () => {
      forAll(({ body, options }) => {
        const { output, edits } = repair(body, options);
        for (const { from, to, before, after, type } of edits) {
          expect(before === undefined || valueAt(body, from, options.format) === before, `${from} of ${type}`).toBe(
            true,
          );
          expect(to === undefined || valueAt(output, to, options.format) !== undefined, `${to} of ${type}`).toBe(true);
          expect(
            after === undefined || JSON.stringify(valueAt(output, to, options.format)) === JSON.stringify(after),
          ).toBe(true);
          expect(type === "remove" ? to : undefined).toBeUndefined();
        }
      });
    },
  );

  test("what check finds is what repair edits", { timeout }, () => {
    forAll(({ body, options }) => {
      const problems = check(body, options);
      expect(repair(body, options).edits.length > 0).toBe(problems.some((problem) => problem.repairable));
    });
  });

  test("whatever the judge refuses, check flags", { timeout }, () => {
    forAll(({ body, options }) => {
      expect(judge(body, options).length === 0 || check(body, options).length > 0).toBe(true);
    });
  });

  test("every policy leaves a healthy history", { timeout }, () => {
    forAll(({ body, options }) => {
      for (const orphans of ["restore", "quote", "drop"] as const) {
        for (const duplicates of ["merge", "last"] as const) {
          const policy: RepairOptions = { ...options, orphans, duplicates, language: "zh" };
          const { output, problems } = repair(body, policy);
          expect(problems.filter((problem) => problem.repairable)).toEqual([]);
          expect(repair(output, policy).output).toBe(output);
        }
      }
    });
  });
});

describe("calls that are left open", () => {
  test("are all that is left, at the very end, and nothing is lost or done twice", { timeout }, () => {
    forAll(({ body, options }) => {
      const policy: RepairOptions = { ...options, danglingAtEnd: "leave" };
      const { output, problems } = repair(body, policy);
      const left = problems.filter((problem) => problem.repairable && problem.rule !== "unanswered-call");
      expect(left).toEqual([]);
      expect(repair(output, policy).output).toBe(output);
      expect(lostTexts(saidIn(body, options.format), output)).toEqual([]);
    });
  });
});

describe("healthy histories", () => {
  test("are left alone: check is silent, and repair gives the same reference", () => {
    fc.assert(
      fc.property(fc.constantFrom(...formats), fc.nat(), fc.integer({ min: 1, max: 12 }), (format, seed, size) => {
        const body = generate(format, seed, size);
        expect(check(body, { format })).toEqual([]);
        expect(repair(body, { format }).output).toBe(body);
      }),
    );
  });

  test("are flagged for a provider only where the judge refuses them as well", () => {
    const others = providers.filter((provider) => provider !== undefined);
    fc.assert(
      fc.property(fc.constantFrom(...others), fc.nat(), fc.integer({ min: 1, max: 6 }), (provider, seed, size) => {
        const body = generate("openai-chat", seed, size);
        const options = { format: "openai-chat", ...(provider === undefined ? {} : { provider }) } as const;
        expect(judge(body, options).length > 0 || check(body, options).length === 0).toBe(true);
      }),
    );
  });
});

/** What stands at a path of a body, or of a bare array, which paths call by the name that it has in a body. */
function valueAt(body: unknown, path: string | undefined, format: Format): unknown {
  const root: unknown = Array.isArray(body) ? { [subjects[format].listKey]: body } : body;
  const steps = (path ?? "").split(/[.[\]]+/u).filter(Boolean);
  return steps.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

/** True for the path of a message, or of something in it. */
const isAt = (path: string | undefined, index: number): boolean =>
  path !== undefined && new RegExp(`^\\w+\\[${index}\\](?:\\.|$)`, "u").test(path);
