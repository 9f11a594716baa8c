import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** A conversation that OpenAI accepts, with the odd things that it accepts. */
export function generateResponses(random: Random, size: number): Loose {
  const scribe = scribeOf(random);
  const input: Item[] = [];
  if (random.chance(0.5)) input.push({ role: random.pick(["system", "developer"]), content: scribe.text("system") });
  for (let exchange = 0; exchange < size; exchange += 1) {
    input.push(...userItems(scribe), ...answer(scribe));
    if (random.chance(0.08)) input.push({ role: "developer", content: [part("input", scribe.text("system"))] });
  }
  if (input.length === 0 || random.chance(0.5)) input.push(...userItems(scribe));
  const isContinued = random.chance(0.1);
  if (isContinued)
    input.unshift({ type: "function_call_output", call_id: scribe.text("stored"), output: scribe.text("result") });
  const tools = ["read_file", "Bash"].map((name) => ({ type: "function", name, parameters: { type: "object" } }));
  return {
    model: scribe.model,
    input,
    ...(isContinued ? { previous_response_id: "resp_1" } : {}),
    ...(random.chance(0.5) ? { tools, store: false } : {}),
  };
}

type Item = Record<string, unknown>;

interface Scribe {
  readonly random: Random;
  readonly model: string;
  /** Words that stand nowhere else. */
  readonly text: (kind: string) => string;
  readonly callId: () => string;
  /** Items of the model carry the ids that it gave them. */
  readonly hasIds: boolean;
}

function scribeOf(random: Random): Scribe {
  let count = 0;
  const text = (kind: string): string => `${kind}-${(count += 1)}`;
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const callId = random.pick<() => string>([
    () => text("call"),
    () => `functions.Bash:${text("n")}`,
    () => text("exactly64").padEnd(64, "x"),
    () => odd.pop() ?? text("call"),
  ]);
  return { random, text, callId, model: random.pick(["gpt-4.1", "gpt-5.2", "o4-mini"]), hasIds: random.chance(0.6) };
}

const part = (side: "input" | "output", words: string): Item => ({
  type: `${side}_text`,
  text: words,
  ...(side === "output" ? { annotations: [] } : {}),
});

function userItems({ random, text }: Scribe): Item[] {
  const image = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" };
  const one = random.pick<() => Item>([
    () => ({ role: "user", content: text("user") }),
    () => ({ type: "message", role: "user", content: `${text("user")} 你好 👋` }),
    () => ({ role: "user", content: [part("input", text("user"))] }),
    () => ({
      type: "message",
      role: "user",
      content: [part("input", text("user")), image, part("input", text("user"))],
    }),
    () => ({ role: "user", content: [{ type: "input_file", file_id: "file-1" }, part("input", text("user"))] }),
  ]);
  return random.chance(0.15) ? [one(), one()] : [one()];
}

function answer(scribe: Scribe): Item[] {
  const { random } = scribe;
  const kind = random.below(10);
  if (kind <= 2) return [...reasoning(scribe), finalWords(scribe)];
  if (kind === 3) return [...reasoning(scribe), ...serverTool(scribe), finalWords(scribe)];
  if (kind === 4) return [{ type: "item_reference", id: scribe.text("msg_stored") }];
  const steps = Array.from({ length: 1 + random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.8) ? [...steps, ...reasoning(scribe), finalWords(scribe)] : steps;
}

/** What a model that reasons says before anything else. */
function reasoning({ random, text, model, hasIds }: Scribe): Item[] {
  if (model === "gpt-4.1" || (!hasIds && random.chance(0.4))) return [];
  const summary = random.chance(0.5) ? [] : [{ type: "summary_text", text: text("summary") }];
  const token = { encrypted_content: `gAAAAABo${text("token").replace("-", "")}` };
  if (!hasIds) return [{ type: "reasoning", summary, ...token }];
  const own = { type: "reasoning", id: text("rs"), summary };
  return random.chance(0.5) ? [own] : [{ ...own, ...token }];
}

function finalWords({ random, text, hasIds }: Scribe): Item {
  const words = text("assistant");
  const id = hasIds ? { id: text("msg"), status: "completed" } : {};
  const long = { type: "message", role: "assistant", ...id };
  if (random.chance(0.1)) return { ...long, content: [{ type: "refusal", refusal: words }] };
  if (hasIds || random.chance(0.5)) return { ...long, content: [part("output", words)] };
  return random.chance(0.5)
    ? { role: "assistant", content: words }
    : { role: "assistant", content: [part("output", words)] };
}

function serverTool({ text, random }: Scribe): Item[] {
  return random.pick<() => Item[]>([
    () => [{ type: "web_search_call", id: text("ws"), status: "completed", action: { type: "search", query: "x" } }],
    () => [
      { type: "code_interpreter_call", id: text("ci"), code: "1", container_id: "c", outputs: [], status: "completed" },
    ],
    () => [{ type: "tool_search_call", id: text("ts"), call_id: text("search"), arguments: { goal: "x" } }],
    () => {
      const by = { call_id: text("computer") };
      const output = { type: "computer_screenshot", file_id: "f" };
      return [
        { type: "computer_call", id: text("cu"), ...by, action: { type: "screenshot" } },
        { type: "computer_call_output", ...by, output },
      ];
    },
  ])();
}

/** Calls and their outputs, which need not stand in order, nor right behind them. */
function step(scribe: Scribe): Item[] {
  const { random, text, hasIds } = scribe;
  const before = random.chance(0.2) ? [finalWords(scribe)] : [];
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const call_id = scribe.callId();
    const isCustom = random.chance(0.2);
    const id = hasIds ? { id: text(isCustom ? "ctc" : "fc"), status: "completed" } : {};
    const call = isCustom
      ? { type: "custom_tool_call", ...id, call_id, name: "patch", input: `*** ${text("argument")}` }
      : {
          type: "function_call",
          ...id,
          call_id,
          name: random.pick(["read_file", "Bash", "constructor"]),
          arguments: `{"value":"${text("argument")}"}`,
        };
    const type = isCustom ? "custom_tool_call_output" : "function_call_output";
    return { call, output: { type, call_id, output: output(scribe) } };
  });
  const outputs = pairs.map((pair) => pair.output);
  const inOrder = random.chance(0.7) ? outputs : random.shuffle(outputs);
  const between = random.chance(0.15) ? userItems(scribe) : [];
  return [...reasoning(scribe), ...before, ...pairs.map((pair) => pair.call), ...between, ...inOrder];
}

function output({ random, text }: Scribe): unknown {
  return random.pick<() => unknown>([
    () => text("result"),
    () => `{"ok":true,"value":"${text("result")}"}`,
    () => [part("input", text("result"))],
    () => [part("input", text("result")), { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" }],
  ])();
}
