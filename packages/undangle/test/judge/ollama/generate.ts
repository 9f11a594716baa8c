import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** A conversation for /api/chat, in the ways in which clients write them: with and without ids, with and without names. */
export function generateOllama(random: Random, size: number): Loose {
  let count = 0;
  const text = (kind: string): string => `${kind}-${(count += 1)}`;
  const style = random.pick<Style>(["names", "names", "ids", "ids and names", "old names", "neither"]);
  const messages: Block[] = random.chance(0.4) ? [{ role: "system", content: text("system") }] : [];
  for (let exchange = 0; exchange < Math.max(1, size); exchange += 1) {
    messages.push(userMessage(random, text), ...answer({ random, text, style }));
  }
  return {
    model: random.pick(["llama3.2", "qwen3:8b", "gpt-oss:20b"]),
    messages,
    stream: random.chance(0.5),
    ...(random.chance(0.5) ? { options: { num_ctx: 8192 } } : {}),
    ...(random.chance(0.3) ? { think: true } : {}),
    tools: ["read", "write", "run"].map((name) => ({
      type: "function",
      function: { name, parameters: { type: "object" } },
    })),
  };
}

type Block = Record<string, unknown>;
type Style = "names" | "ids" | "ids and names" | "old names" | "neither";

interface Scribe {
  readonly random: Random;
  readonly text: (kind: string) => string;
  readonly style: Style;
}

function userMessage(random: Random, text: Scribe["text"]): Block {
  return { role: "user", content: text("user"), ...(random.chance(0.2) ? { images: ["iVBORw0KGgo="] } : {}) };
}

function answer(scribe: Scribe): Block[] {
  const { random } = scribe;
  const steps = Array.from({ length: random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.85) || steps.length === 0 ? [...steps, words(scribe)] : steps;
}

function words({ random, text }: Scribe): Block {
  const thinking = random.chance(0.3) ? { thinking: text("thought") } : {};
  return { role: "assistant", content: random.chance(0.9) ? text("assistant") : "", ...thinking };
}

function step(scribe: Scribe): Block[] {
  const { random, text, style } = scribe;
  const names = Array.from({ length: 1 + random.below(3) }, () => random.pick(["read", "write", "run"]));
  const pairs = names.map((name, index) => pairOf(name, index, scribe));
  const said = random.pick<Block>([{ content: "" }, { content: text("assistant") }, { content: null }, {}]);
  const isTold = style !== "neither" && new Set(names).size === names.length;
  const results = pairs.map(({ result }) => result);
  return [
    { role: "assistant", ...said, tool_calls: pairs.map(({ call }) => call) },
    ...(isTold && random.chance(0.3) ? random.shuffle(results) : results),
  ];
}

function pairOf(name: string, index: number, { random, text, style }: Scribe): { call: Block; result: Block } {
  const id = text("call");
  const hasId = style === "ids" || style === "ids and names";
  const args = random.pick<Block>([{ arguments: { value: text("argument") } }, { arguments: {} }]);
  const place = random.chance(0.2) ? { index } : {};
  const call = { ...(hasId ? { id } : {}), function: { ...place, name, ...args } };
  const told = random.pick<Block>([{ content: text("result") }, { content: text("result"), images: ["iVBORw0KGgo="] }]);
  const key = {
    names: { tool_name: name },
    ids: { tool_call_id: id },
    "ids and names": random.chance(0.5) ? { tool_name: name, tool_call_id: id } : { tool_name: name },
    "old names": { name },
    neither: {},
  }[style];
  return { call, result: { role: "tool", ...told, ...key } };
}
