import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** A conversation that Gemini accepts, with the odd things that it accepts. */
export function generateGemini(random: Random, size: number): Loose {
  const model = random.pick([
    undefined,
    "gemini-2.5-pro",
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
    "gemini-3.5-flash",
  ]);
  const scribe = scribeOf(random, model ?? "");
  const contents: Content[] = [];
  if (random.chance(0.1)) contents.push({ role: "model", parts: [{ text: scribe.text("assistant") }] });
  for (let exchange = 0; exchange < size; exchange += 1) contents.push(...question(scribe), ...answer(scribe));
  const isLastModel = contents.at(-1)?.role === "model";
  const mayEnd = contents.length > 0 && (!isLastModel || (scribe.version < 3.5 && random.chance(0.3)));
  if (!mayEnd) contents.push(...question(scribe));
  const [only] = contents;
  const isBare = contents.length === 1 && only?.role === "user" && random.chance(0.5);
  const spelled = contents.map((content) =>
    scribe.isSnake ? { ...content, parts: content.parts.map(snake) } : content,
  );
  return {
    ...(model === undefined ? {} : { model }),
    contents: isBare ? spelled.map(({ parts }) => ({ parts })) : spelled,
    tools: [{ functionDeclarations: [{ name: "read" }, { name: "mcp.srv:get-x" }] }],
    ...(random.chance(0.3) ? { systemInstruction: { parts: [{ text: scribe.text("system") }] } } : {}),
  };
}

type Part = Record<string, unknown>;

interface Content {
  readonly role: "user" | "model" | "function";
  readonly parts: readonly Part[];
}

interface Scribe {
  readonly random: Random;
  readonly version: number;
  readonly isSnake: boolean;
  /** Text behind function responses is refused. */
  readonly isStrict: boolean;
  readonly text: (kind: string) => string;
}

function scribeOf(random: Random, model: string): Scribe {
  let count = 0;
  const version = Number(/gemini-([\d.]+)/.exec(model)?.[1] ?? 0);
  const isStrict = version > 3 || model.includes("3-flash");
  return { random, version, isStrict, isSnake: random.chance(0.2), text: (kind) => `${kind}-${(count += 1)}` };
}

const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };

function question({ random, text }: Scribe): Content[] {
  const words = (): Part => ({ text: text("user") });
  return random.pick<() => Content[]>([
    () => [{ role: "user", parts: [words()] }],
    () => [{ role: "user", parts: [image, words(), { fileData: { fileUri: "gs://bucket/x.pdf" } }] }],
    () => [{ role: "user", parts: [words(), words()] }],
    () => [
      { role: "user", parts: [words()] },
      { role: "user", parts: [words()] },
    ],
  ])();
}

function answer(scribe: Scribe): Content[] {
  const { random } = scribe;
  const kind = random.below(7);
  if (kind <= 1) return [finalWords(scribe)];
  if (kind === 2) return [finalWords(scribe), finalWords(scribe)];
  if (kind === 3) return [ranCode(scribe)];
  const steps = Array.from({ length: 1 + random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.8) ? [...steps, finalWords(scribe)] : steps;
}

function finalWords({ random, text }: Scribe): Content {
  const words: Part = { text: text("assistant") };
  const parts = random.pick<() => Part[]>([
    () => [words],
    () => [{ text: text("thought"), thought: true }, words],
    () => [words, { text: "", thoughtSignature: "c2lnbmVk" }],
    () => [{ ...words, thoughtSignature: "c2lnbmVk" }],
  ])();
  return { role: "model", parts };
}

function ranCode({ text }: Scribe): Content {
  const code = { executableCode: { language: "PYTHON", code: "1 + 1" } };
  const outcome = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } };
  return { role: "model", parts: [code, outcome, { text: text("assistant") }] };
}

/** A turn with calls and the turn with their responses; ids on both sides, on one, or on none. */
function step(scribe: Scribe): Content[] {
  const { random, text, version, isStrict } = scribe;
  const ids = random.pick(["none", "none", "both", "calls", "responses"]);
  const calls = Array.from({ length: 1 + random.below(3) }, () => ({ id: text("id"), name: random.pick(names) }));
  const idOf = (id: string, side: string): Part =>
    ids === side || ids === "both" ? { id } : random.pick<Part>([{}, {}, {}, { id: null }]);
  const asked = calls.map(({ id, name }, index) => ({
    functionCall: {
      ...idOf(id, "calls"),
      name,
      ...random.pick<Part>([{ args: { value: text("argument") } }, { args: {} }, {}]),
    },
    ...(index === 0 && (version >= 3 || random.chance(0.3)) ? { thoughtSignature: random.pick(signatures) } : {}),
  }));
  const answered = calls.map(({ id, name }) => ({
    functionResponse: { ...idOf(id, "responses"), name, ...output(scribe) },
  }));
  const responses: Part[] = ids === "both" && random.chance(0.3) ? random.shuffle(answered) : answered;
  const words = (kind: string): Part[] => [{ text: text(kind) }];
  const thoughts = random.chance(0.3) ? [{ text: text("thought"), thought: true }] : [];
  const before = random.chance(0.15) ? words("user") : [];
  const behind = !isStrict && random.chance(0.15) ? words("user") : [];
  const role = version < 3.5 && random.chance(0.2) ? "function" : "user";
  return [
    { role: "model", parts: [...thoughts, ...(random.chance(0.4) ? words("assistant") : []), ...asked] },
    { role, parts: [...before, ...responses, ...behind] },
  ];
}

const names: readonly [string, ...string[]] = ["read", "read", "write", "mcp.srv:get-x"];

const signatures: readonly [string, ...string[]] = ["c2lnbmVk", "skip_thought_signature_validator"];

function output({ random, text, version }: Scribe): Part {
  const shown = version === 0 || version >= 3 ? { parts: [image] } : {}; // older models look at nothing inside a response
  return random.pick<() => Part>([
    () => ({ response: { result: text("result") } }),
    () => ({ response: { output: text("result") } }),
    () => ({ response: { error: text("result") } }),
    () => ({ response: { rows: [{ name: text("result") }, text("result")], total: 2 } }),
    () => ({ response: { output: text("result") }, ...shown }),
    () => ({ response: {} }),
  ])();
}

/** The same part as REST may spell it. */
function snake(part: Part): Part {
  const respelled = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [respelled(key), value]));
}
