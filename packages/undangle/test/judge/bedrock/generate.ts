import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** A conversation that Converse accepts, with the odd things that it accepts. */
export function generateBedrock(random: Random, size: number): Loose {
  const modelId = random.pick(models);
  const isClaude = modelId.includes("claude");
  const thinks = isClaude && random.chance(0.3);
  const scribe = scribeOf(random, { modelId, isClaude, thinks, mixes: !/llama|cohere/.test(modelId) });
  const turns: Turn[] = [];
  for (let exchange = 0; exchange < size; exchange += 1) turns.push(userTurn(scribe), ...answer(scribe));
  if (turns.length === 0 || (turns.at(-1)?.role === "assistant" && !random.chance(0.3))) turns.push(userTurn(scribe));
  const messages = joined(turns, scribe).flatMap((turn): Turn[] => {
    const mayAdvise = modelId.includes("opus-4-8") && turn.role === "user" && random.chance(0.1);
    return mayAdvise ? [turn, { role: "system", content: [{ text: scribe.text("system") }] }] : [turn];
  });
  const spec = { name: "read", description: "reads", inputSchema: { json: { type: "object" } } };
  return {
    modelId,
    ...(random.chance(0.5) ? { system: [{ text: scribe.text("system") }, cachePoint] } : {}),
    messages,
    toolConfig: { tools: [{ toolSpec: spec }, ...(random.chance(0.2) ? [cachePoint] : [])] },
    ...(random.chance(0.5) ? { inferenceConfig: { maxTokens: 512 } } : {}),
    ...(thinks ? { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } } : {}),
  };
}

const models = [
  "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "global.anthropic.claude-opus-4-8",
  "us.amazon.nova-pro-v1:0",
  "meta.llama3-1-70b-instruct-v1:0",
  "cohere.command-r-plus-v1:0",
  "minimax.minimax-m2",
  "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123",
] as const;

type Block = Record<string, unknown>;

interface Turn extends Block {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly Block[];
}

interface Target {
  readonly modelId: string;
  readonly isClaude: boolean;
  readonly thinks: boolean;
  /** Words and tool blocks may share a turn. */
  readonly mixes: boolean;
}

interface Scribe extends Target {
  readonly random: Random;
  readonly text: (kind: string) => string;
}

function scribeOf(random: Random, target: Target): Scribe {
  let count = 0;
  return { ...target, random, text: (kind) => `${kind}-${(count += 1)}` };
}

const cachePoint = { cachePoint: { type: "default" } };
const image = { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } };
const document = { document: { format: "txt", name: "notes", source: { bytes: "aGVsbG8=" } } };

function userTurn({ random, text }: Scribe): Turn {
  const words = (): Block => ({ text: text("user") });
  const content = random.pick<() => Block[]>([
    () => [words()],
    () => [words(), cachePoint],
    () => [image, words()],
    () => [image],
    () => [words(), document],
    () => [{ guardContent: { text: { text: text("user") } } }, words()],
    () => [words(), words()],
  ])();
  return { role: "user", content };
}

function answer(scribe: Scribe): Turn[] {
  if (scribe.random.below(8) <= 1) return [finalWords(scribe)];
  const steps = Array.from({ length: 1 + scribe.random.below(3) }, (_, index) => step(scribe, index)).flat();
  return scribe.random.chance(0.8) ? [...steps, finalWords(scribe)] : steps;
}

/** Reasoning as it opens a step: always where the request needs it, now and then elsewhere. */
function thoughts({ random, isClaude, thinks, modelId, text }: Scribe, isNeeded: boolean): Block[] {
  if (!random.chance(isNeeded && thinks ? 1 : 0.3)) return [];
  if (isClaude && random.chance(0.3)) return [{ reasoningContent: { redactedContent: "AAECAwQ=" } }];
  const signature = isClaude || modelId.startsWith("arn:") ? { signature: "EqQBCkYIBRgCKkDs7VqwZQ==" } : {};
  return [{ reasoningContent: { reasoningText: { text: text("thought"), ...signature } } }];
}

function finalWords(scribe: Scribe): Turn {
  const cited = { citationsContent: { content: [{ text: scribe.text("cited") }], citations: [] } };
  const more = scribe.random.chance(0.1) ? [cited] : [];
  return { role: "assistant", content: [...thoughts(scribe, false), { text: scribe.text("assistant") }, ...more] };
}

function step(scribe: Scribe, index: number): Turn[] {
  const { random, text, isClaude, mixes } = scribe;
  // Some models count their calls anew in every round: ids are unique in a message only.
  const restarts = random.chance(0.2);
  const ids = Array.from({ length: 1 + random.below(4) }, (_, n) =>
    restarts ? `functions.read:${n}` : text("tooluse"),
  );
  const words = mixes && random.chance(0.5) ? [{ text: text("assistant") }] : [];
  const late = mixes && !isClaude && random.chance(0.1) ? [{ text: text("assistant") }] : [];
  const calls = ids.map((toolUseId) => ({ toolUse: { toolUseId, name: "read", input: { value: text("argument") } } }));
  const results = ids.flatMap((toolUseId) => resultOf(toolUseId, scribe));
  return [
    { role: "assistant", content: [...thoughts(scribe, index === 0), ...words, ...calls, ...late] },
    { role: "user", content: random.chance(0.7) ? results : random.shuffle(results) },
  ];
}

function resultOf(toolUseId: string, { random, text }: Scribe): Block[] {
  const content = random.pick<() => Block[]>([
    () => [{ text: text("result") }],
    () => [{ json: { value: text("result") } }],
    () => [{ text: text("result") }, image],
    () => [{ text: text("result") }, document],
    () => [],
  ])();
  const status = random.pick<Block>([{}, { status: "success" }, content.length > 0 ? { status: "error" } : {}]);
  return [{ toolResult: Object.assign({ toolUseId, content }, status) }];
}

/** A user turn behind results that no words closed is one with them, where the model takes that, or is left out. */
function joined(turns: readonly Turn[], { mixes, isClaude, thinks, random }: Scribe): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last === undefined || last.role !== turn.role) all.push(turn);
    // With thinking on, words behind the results would leave open where the running loop begins.
    else if (mixes && !thinks) {
      const isLate = !isClaude && random.chance(0.3);
      const content = isLate ? [...turn.content, ...last.content] : [...last.content, cachePoint, ...turn.content];
      all.splice(-1, 1, { role: "user", content });
    }
  }
  return all;
}
