import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Random } from "./random.ts";

/** A conversation that OpenAI accepts, with the odd things that it accepts. */
export function generateOpenAiChat(random: Random, size: number): Loose {
  const scribe = scribeOf(random);
  const messages: Message[] = [];
  if (random.chance(0.6)) messages.push({ role: random.pick(["system", "developer"]), content: scribe.text("system") });
  for (let exchange = 0; exchange < size; exchange += 1) {
    messages.push(...userMessages(scribe), ...answer(scribe));
    if (random.chance(0.1)) messages.push({ role: "system", content: scribe.text("system") });
  }
  if (messages.length === 0 || random.chance(0.5)) messages.push(...userMessages(scribe));
  const tools = [...scribe.names].map((name) => {
    return { type: "function", function: { name, parameters: { type: "object", properties: {} } } };
  });
  return { model: "gpt-4o", messages, ...(tools.length > 0 && random.chance(0.8) ? { tools } : {}) };
}

type Message = Record<string, unknown>;

/** Writes texts and ids that no other place of the conversation has, unless reuse is what it is about. */
interface Scribe {
  readonly random: Random;
  readonly names: Set<string>;
  readonly text: (kind: string) => string;
  readonly ids: (names: readonly string[]) => string[];
}

function scribeOf(random: Random): Scribe {
  let count = 0;
  const text = (kind: string): string => `${kind}-${(count += 1)}`;
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const styles: readonly [IdStyle, ...IdStyle[]] = [
    () => text("call"),
    (name, position) => `functions.${name.slice(0, 20)}:${position}`,
    () => text("exactly40").padEnd(40, "x"),
    (_, position) => odd[position] ?? text("call"),
  ];
  const style = random.pick(styles);
  return { random, names: new Set(), text, ids: (names) => names.map((name, position) => style(name, position)) };
}

type IdStyle = (name: string, position: number) => string;

function userMessages({ random, text }: Scribe): Message[] {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const one = (): Message =>
    random.pick<() => Message>([
      () => ({ role: "user", content: text("user") }),
      () => ({ role: "user", name: "customer_7", content: `${text("user")} 你好 👋` }),
      () => ({ role: "user", content: [{ type: "text", text: text("user") }] }),
      () => ({
        role: "user",
        content: [{ type: "text", text: text("user") }, image, { type: "text", text: text("user") }],
      }),
    ])();
  return random.chance(0.15) ? [one(), one()] : [one()];
}

function answer(scribe: Scribe): Message[] {
  const { random, text } = scribe;
  const kind = random.below(10);
  if (kind === 0) return [{ role: "assistant", content: null, refusal: text("assistant") }];
  if (kind === 1) return legacyCall(scribe);
  if (kind === 2) return customCall(scribe);
  if (kind <= 4) return [finalWords(scribe)];
  const steps = Array.from({ length: 1 + random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.8) ? [...steps, finalWords(scribe)] : steps;
}

function finalWords({ random, text }: Scribe): Message {
  const content = random.chance(0.8) ? text("assistant") : [{ type: "text", text: text("assistant") }];
  return { role: "assistant", content, ...(random.chance(0.2) ? { annotations: [], refusal: null } : {}) };
}

function step(scribe: Scribe): Message[] {
  const { random, text } = scribe;
  const names = Array.from({ length: 1 + random.below(4) }, () =>
    random.pick(["read_file", "Bash", "search-web", "constructor", "__proto__", "n".repeat(64)]),
  );
  for (const name of names) scribe.names.add(name);
  const ids = scribe.ids(names);
  const calls = ids.map((id, index) => {
    return { id, type: "function", function: { name: names[index], arguments: `{"value":"${text("argument")}"}` } };
  });
  const content = random.pick<() => Message>([
    () => ({}),
    () => ({ content: null }),
    () => ({ content: "" }),
    () => ({ content: text("assistant") }),
    () => ({ content: [{ type: "text", text: text("assistant") }] }),
  ])();
  const results = ids.map((id): Message => {
    const content = random.pick<() => unknown>([
      () => text("result"),
      () => `{"ok":true,"value":"${text("result")}"}`,
      () => [{ type: "text", text: text("result") }],
      () => [
        { type: "text", text: text("result") },
        { type: "text", text: `${text("result")}\n第二部分` },
      ],
    ])();
    return { role: "tool", tool_call_id: id, content };
  });
  const inOrder = random.chance(0.7) ? results : random.shuffle(results);
  return [{ role: "assistant", ...content, tool_calls: calls }, ...inOrder];
}

function legacyCall({ text }: Scribe): Message[] {
  return [
    { role: "assistant", content: null, function_call: { name: "lookup", arguments: "{}" } },
    { role: "function", name: "lookup", content: text("result") },
    { role: "assistant", content: text("assistant") },
  ];
}

function customCall({ text }: Scribe): Message[] {
  const id = text("custom");
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "custom", custom: { name: "patch", input: "*** a" } }],
    },
    { role: "tool", tool_call_id: id, content: text("result") },
  ];
}
