import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Random } from "./random.ts";

/** A conversation that Anthropic accepts, with the odd things that it accepts. */
export function generateAnthropic(random: Random, size: number): Loose {
  const model = random.pick(["claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001", "claude-opus-4-8"]);
  const thinking = random.pick([undefined, "disabled", "enabled", "adaptive"]);
  const scribe = scribeOf(random, thinking);
  const turns: Turn[] = [];
  if (random.chance(0.1)) turns.push({ role: "assistant", blocks: [{ type: "text", text: scribe.text("assistant") }] });
  for (let exchange = 0; exchange < size; exchange += 1) turns.push(userTurn(scribe), ...answer(scribe));
  const mayEndHere = model !== "claude-opus-4-8" && thinking !== "enabled" && !hasThinking(turns.at(-1));
  if (turns.length === 0 || (turns.at(-1)?.role !== "user" && !(mayEndHere && random.chance(0.3))))
    turns.push(userTurn(scribe));
  const messages = merge(turns).flatMap((turn, index, all) => {
    const isFollowed = all[index + 1]?.role === "assistant" || index === all.length - 1;
    const mayAdvise = model === "claude-opus-4-8" && turn.role === "user" && isFollowed && random.chance(0.15);
    const advice = mayAdvise ? [{ role: "system", content: scribe.text("system") }] : [];
    return messagesOf(turn, random).concat(advice);
  });
  const tools = [
    { name: "read", input_schema: { type: "object" } },
    { type: "web_search_20250305", name: "web_search" },
  ];
  const system = random.chance(0.5) ? { system: [{ type: "text", text: scribe.text("system") }] } : {};
  return {
    model,
    max_tokens: 2048,
    ...system,
    messages,
    tools,
    ...(thinking === undefined
      ? {}
      : { thinking: { type: thinking, ...(thinking === "enabled" ? { budget_tokens: 1024 } : {}) } }),
  };
}

type Block = Record<string, unknown>;

interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
}

interface Scribe {
  readonly random: Random;
  readonly thinking: string | undefined;
  readonly text: (kind: string) => string;
}

function scribeOf(random: Random, thinking: string | undefined): Scribe {
  let count = 0;
  return { random, thinking, text: (kind) => `${kind}-${(count += 1)}` };
}

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };

function userTurn({ random, text }: Scribe): Turn {
  const words = (): Block => ({ type: "text", text: text("user") });
  const blocks = random.pick<() => Block[]>([
    () => [words()],
    () => [{ ...words(), cache_control: { type: "ephemeral" } }],
    () => [image, words()],
    () => [words(), words()],
  ])();
  return { role: "user", blocks };
}

function answer(scribe: Scribe): Turn[] {
  const { random } = scribe;
  const kind = random.below(8);
  if (kind <= 1) return [finalWords(scribe)];
  if (kind === 2) return [serverSearch(scribe)];
  if (kind === 3) return serverToolThatWaits(scribe);
  const steps = Array.from({ length: 1 + random.below(3) }, (_, index) => step(scribe, index === 0)).flat();
  return random.chance(0.8) ? [...steps, finalWords(scribe)] : steps;
}

/** Thinking as it opens a step: always where the request needs it, now and then elsewhere. */
function thoughts({ random, thinking, text }: Scribe, isNeeded: boolean): Block[] {
  if (!random.chance(isNeeded && thinking === "enabled" ? 1 : 0.3)) return [];
  if (random.chance(0.3)) return [{ type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }];
  return [{ type: "thinking", thinking: text("thought"), signature: "EqQBCkYIBRgCKkDs7VqwZQ==" }];
}

function finalWords(scribe: Scribe): Turn {
  return { role: "assistant", blocks: [...thoughts(scribe, false), { type: "text", text: scribe.text("assistant") }] };
}

function step(scribe: Scribe, isFirst: boolean): Turn[] {
  const { random, text } = scribe;
  const ids = Array.from({ length: 1 + random.below(4) }, () => text("toolu"));
  const words = random.chance(0.5) ? [{ type: "text", text: text("assistant") }] : [];
  const calls = ids.map((id) => ({ type: "tool_use", id, name: "read", input: { value: text("argument") } }));
  const results = ids.map((id): Block => {
    const content = random.pick<() => unknown>([
      () => text("result"),
      () => [{ type: "text", text: text("result") }],
      () => [{ type: "text", text: text("result") }, image],
    ])();
    const result = { type: "tool_result", tool_use_id: id, content };
    const mark = random.pick<Block>([{}, { is_error: true }, { cache_control: { type: "ephemeral" } }]);
    return Object.assign(result, mark);
  });
  const inOrder = random.chance(0.7) ? results : random.shuffle(results);
  // With thinking on, words behind the results would leave open where the running loop begins.
  const mayAdd = scribe.thinking !== "enabled" && random.chance(0.15);
  const added = mayAdd ? [{ type: "text", text: text("user") }] : [];
  return [
    { role: "assistant", blocks: [...thoughts(scribe, isFirst), ...words, ...calls] },
    { role: "user", blocks: [...inOrder, ...added] },
  ];
}

function serverUse({ text }: Scribe): { use: Block; result: Block } {
  const id = `srvtoolu_${text("n").replace("-", "")}`;
  return {
    use: { type: "server_tool_use", id, name: "web_search", input: { query: text("argument") } },
    result: { type: "web_search_tool_result", tool_use_id: id, content: [] },
  };
}

function serverSearch(scribe: Scribe): Turn {
  const { use, result } = serverUse(scribe);
  const before = { type: "text", text: scribe.text("assistant") };
  const after = { type: "text", text: scribe.text("assistant") };
  return { role: "assistant", blocks: [...thoughts(scribe, false), before, use, result, after] };
}

/** A server tool that runs client tools: its own result comes one step later. */
function serverToolThatWaits(scribe: Scribe): Turn[] {
  const { use, result } = serverUse(scribe);
  const id = scribe.text("toolu");
  const call = { type: "tool_use", id, name: "read", input: {} };
  return [
    { role: "assistant", blocks: [...thoughts(scribe, true), use, call] },
    { role: "user", blocks: [{ type: "tool_result", tool_use_id: id, content: scribe.text("result") }] },
    { role: "assistant", blocks: [result, { type: "text", text: scribe.text("assistant") }] },
  ];
}

function hasThinking(turn: Turn | undefined): boolean {
  return turn?.blocks.some((block) => block["type"] === "thinking" || block["type"] === "redacted_thinking") ?? false;
}

/** A user turn behind results that no words closed becomes part of the same turn. */
function merge(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role !== turn.role) merged.push(turn);
    else merged.splice(-1, 1, { role: turn.role, blocks: [...last.blocks, ...turn.blocks] });
  }
  return merged;
}

/** A turn as one message or as two of the same role, which the API merges; plain words as a string or a block. */
function messagesOf({ role, blocks }: Turn, random: Random): Record<string, unknown>[] {
  if (blocks.length > 1 && random.chance(0.1)) {
    const cut = 1 + random.below(blocks.length - 1);
    return [
      { role, content: blocks.slice(0, cut) },
      { role, content: blocks.slice(cut) },
    ];
  }
  const [only, ...others] = blocks;
  const isPlain = others.length === 0 && only?.["type"] === "text" && Object.keys(only).length === 2;
  return [{ role, content: isPlain && random.chance(0.5) ? only["text"] : blocks }];
}
