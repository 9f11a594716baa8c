import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** The state of an agent, with messages in one of the forms in which LangChain writes them. */
export function generateLangchain(random: Random, size: number): Loose {
  const scribe = scribeOf(random);
  const messages: Plain[] = [];
  if (random.chance(0.5)) messages.push({ type: "system", content: scribe.text("system") });
  for (let exchange = 0; exchange < size; exchange += 1) {
    messages.push(human(scribe), ...answer(scribe));
    if (random.chance(0.1)) messages.push({ type: "system", content: scribe.text("system") });
    if (random.chance(0.05)) messages.push({ type: "remove", content: [], id: scribe.text("gone") });
  }
  if (messages.length === 0 || random.chance(0.5)) messages.push(human(scribe));
  const form = random.pick([flat, flat, flat, withRole, stored, constructed, mixed(random)]);
  const written = messages.map((message) => form(message));
  return { messages: written, ...(random.chance(0.3) ? { todos: [], files: { "/a.txt": "x" } } : {}) };
}

interface Plain extends Record<string, unknown> {
  readonly type: string;
}

type Form = (message: Plain) => Loose;

const flat: Form = (message) => message;

const withRole: Form = ({ type, ...rest }) => {
  const roles: Loose = { human: "user", ai: "assistant" };
  return type === "remove" ? { type, ...rest } : { role: roles[type] ?? type, ...rest };
};

const stored: Form = ({ type, ...data }) => ({ type, data: { additional_kwargs: {}, ...data } });

const constructed: Form = ({ type, ...kwargs }) => {
  const names: Loose = { human: "HumanMessage", ai: "AIMessage", tool: "ToolMessage", system: "SystemMessage" };
  return { lc: 1, type: "constructor", id: ["langchain_core", "messages", names[type] ?? "RemoveMessage"], kwargs };
};

const mixed =
  (random: Random): Form =>
  (message) =>
    random.pick([flat, stored, constructed])(message);

/** Writes texts and ids that no other place of the conversation has, unless reuse is what it is about. */
interface Scribe {
  readonly random: Random;
  readonly text: (kind: string) => string;
  readonly id: (name: string, position: number) => string;
}

function scribeOf(random: Random): Scribe {
  let count = 0;
  const text = (kind: string): string => `${kind}-${(count += 1)}`;
  const restart = random.chance(0.25);
  return {
    random,
    text,
    id: (name, position) => (restart ? `functions.${name}:${position}` : text("call")),
  };
}

function human({ random, text }: Scribe): Plain {
  const message = { type: "human", ...(random.chance(0.5) ? { id: text("m") } : {}) };
  return random.pick<() => Plain>([
    () => ({ ...message, content: text("user") }),
    () => ({ ...message, content: `${text("user")} 你好`, additional_kwargs: { seen: true } }),
    () => ({ ...message, content: [{ type: "text", text: text("user") }] }),
    () => ({
      ...message,
      content: [
        { type: "text", text: text("user") },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ],
    }),
  ])();
}

function answer(scribe: Scribe): Plain[] {
  const { random } = scribe;
  if (random.chance(0.3)) return [words(scribe)];
  const steps = Array.from({ length: 1 + random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.7) ? [...steps, words(scribe)] : steps;
}

function words({ random, text }: Scribe): Plain {
  const content = random.chance(0.7) ? text("assistant") : [{ type: "text", text: text("assistant") }];
  const empty = random.chance(0.4) ? { tool_calls: [], invalid_tool_calls: [] } : {};
  return { type: "ai", content, ...empty, ...(random.chance(0.5) ? { id: text("m") } : {}) };
}

interface Made {
  readonly id: string;
  readonly name: string;
  readonly args: Loose;
}

function step(scribe: Scribe): Plain[] {
  const { random, text } = scribe;
  const calls = Array.from({ length: 1 + random.below(4) }, (_, position): Made => {
    const name = random.pick(["read_file", "Bash", "search-web", "constructor", "__proto__", "mcp.files/list"]);
    return { id: scribe.id(name, position), name, args: { value: text("argument") } };
  });
  const results = calls.map((call): Plain => {
    const content = random.chance(0.7) ? text("result") : [{ type: "text", text: text("result") }];
    const extras = random.pick<() => Loose>([
      () => ({}),
      () => ({ name: call.name, status: "success" }),
      () => ({ name: call.name, status: "error", artifact: { rows: 3 }, id: text("m") }),
    ])();
    return { type: "tool", tool_call_id: call.id, content, ...extras };
  });
  return [caller(calls, scribe), ...(random.chance(0.7) ? results : random.shuffle(results))];
}

/** An AI message with calls, in the shapes that providers leave. */
function caller(calls: readonly Made[], { random, text }: Scribe): Plain {
  const tool_calls = calls.map((call) => ({ ...call, type: "tool_call" }));
  const message = { type: "ai", id: text("m"), usage_metadata: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } };
  return random.pick<() => Plain>([
    () => ({ ...message, content: "", tool_calls }),
    () => ({ ...message, content: text("assistant"), tool_calls, invalid_tool_calls: [] }),
    () => ({
      ...message,
      content: [
        { type: "text", text: text("assistant") },
        ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
      ],
      tool_calls,
      response_metadata: { model_provider: "anthropic" },
    }),
    () => ({
      ...message,
      content: [{ type: "text", text: text("assistant") }, ...calls.map((call) => ({ type: "tool_call", ...call }))],
      tool_calls,
      response_metadata: { output_version: "v1" },
    }),
    () => ({ ...message, content: "", tool_calls, additional_kwargs: { tool_calls: calls.map(asSent) } }),
    () => ({ ...message, content: "", tool_calls: [], additional_kwargs: { tool_calls: calls.map(asSent) } }),
    () => ({ ...message, content: calls.map(asItem), tool_calls, response_metadata: { output: calls.map(asItem) } }),
    () => ({
      ...message,
      content: calls.map(({ name, args }) => ({ type: "functionCall", functionCall: { name, args } })),
      tool_calls,
    }),
    () => ({ ...message, content: "", tool_calls, tool_call_chunks: calls.map(asChunk) }),
  ])();
}

const asSent = ({ id, name, args }: Made): Loose => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const asItem = ({ id, name, args }: Made): Loose => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(args),
});

const asChunk = ({ id, name, args }: Made, index: number): Loose => ({
  type: "tool_call_chunk",
  id,
  name,
  args: JSON.stringify(args),
  index,
});
