import type { Loose } from "../../../src/testing/judge/loose.ts";
import type { Random } from "../random.ts";

/** A conversation that both versions of the SDK take, as model messages or as messages of a page. */
export function generateAiSdk(random: Random, size: number): Loose {
  const scribe = scribeOf(random);
  const isForPage = random.chance(0.35);
  const messages = isForPage ? pageMessages(scribe, size) : modelMessages(scribe, size);
  return random.chance(0.3) ? { messages, tools: { read: {}, search: {} } } : { messages };
}

type Wire = Record<string, unknown>;

interface Scribe {
  readonly random: Random;
  readonly text: (kind: string) => string;
}

function scribeOf(random: Random): Scribe {
  let count = 0;
  return { random, text: (kind) => `${kind}-${(count += 1)}` };
}

function modelMessages(scribe: Scribe, size: number): Wire[] {
  const { random, text } = scribe;
  const messages: Wire[] = random.chance(0.2) ? [{ role: "system", content: text("system") }] : [];
  for (let i = 0; i < size; i += 1) messages.push(userMessage(scribe), ...answer(scribe));
  if (size === 0 || random.chance(0.6)) messages.push(userMessage(scribe));
  else if (random.chance(0.3)) messages.push(...openApproval(scribe));
  return messages;
}

function userMessage({ random, text }: Scribe): Wire {
  const content = random.pick<() => unknown>([
    () => text("user"),
    () => [{ type: "text", text: text("user") }],
    () => [
      { type: "image", image: "aGVsbG8=", mediaType: "image/png" },
      { type: "text", text: text("user") },
    ],
    () => [{ type: "file", data: "aGVsbG8=", mediaType: "application/pdf", filename: "a.pdf" }],
  ])();
  return { role: "user", content };
}

function answer(scribe: Scribe): Wire[] {
  const { random, text } = scribe;
  if (random.chance(0.25)) return [{ role: "assistant", content: text("assistant") }];
  if (random.chance(0.15)) return [providerStep(scribe)];
  const steps = Array.from({ length: 1 + random.below(3) }, () => step(scribe)).flat();
  return random.chance(0.7) ? [...steps, { role: "assistant", content: [words(scribe)] }] : steps;
}

const words = ({ text }: Scribe): Wire => ({ type: "text", text: text("assistant") });

const toolNames = ["read", "search", "weather"] as const;

function call({ random, text }: Scribe): { readonly id: string; readonly name: string; readonly part: Wire } {
  const id = text("call");
  const name = random.pick(toolNames);
  const input = random.chance(0.1) ? text("free") : { value: text("argument") };
  const options = random.chance(0.1) ? { providerOptions: { google: { thoughtSignature: "sig" } } } : {};
  return { id, name, part: { type: "tool-call", toolCallId: id, toolName: name, input, ...options } };
}

function result({ random, text }: Scribe, toolCallId: string, toolName: string): Wire {
  const output = random.pick<() => Wire>([
    () => ({ type: "text", value: text("result") }),
    () => ({ type: "json", value: { rows: [text("result")] } }),
    () => ({ type: "error-text", value: text("result") }),
    () => ({
      type: "content",
      value: [
        { type: "text", text: text("result") },
        { type: "image-data", data: "aGVsbG8=", mediaType: "image/png" },
      ],
    }),
  ])();
  return { type: "tool-result", toolCallId, toolName, output };
}

function step(scribe: Scribe): Wire[] {
  const { random, text } = scribe;
  const calls = Array.from({ length: 1 + random.below(4) }, () => call(scribe));
  const isGated = random.chance(0.25);
  const approvals = isGated ? calls.map(({ id }) => ({ approvalId: text("approval"), toolCallId: id })) : [];
  const said = [
    ...(random.chance(0.2) ? [{ type: "reasoning", text: text("thought") }] : []),
    ...(random.chance(0.5) ? [words(scribe)] : []),
  ];
  const results = calls.map(({ id, name }) => result(scribe, id, name));
  const inOrder = random.chance(0.7) ? results : random.shuffle(results);
  const responses = approvals.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved: true }));
  return [
    {
      role: "assistant",
      content: [
        ...said,
        ...calls.map(({ part }) => part),
        ...approvals.map((approval) => ({ type: "tool-approval-request", ...approval })),
      ],
    },
    ...toolMessages(scribe, responses, inOrder),
  ];
}

/** Answers to requests and results: in one message, or in several, which the SDK joins. */
function toolMessages({ random }: Scribe, responses: readonly Wire[], results: readonly Wire[]): Wire[] {
  const message = (content: readonly Wire[]): Wire =>
    random.chance(0.1) ? { role: "tool", content, providerOptions: { anthropic: {} } } : { role: "tool", content };
  if (responses.length > 0) {
    return random.chance(0.5) ? [message([...responses, ...results])] : [message(responses), message(results)];
  }
  if (results.length > 1 && random.chance(0.2)) return results.map((each) => message([each]));
  return [message(results)];
}

/** A turn that the SDK goes on with by itself: the last message decides on its calls. */
function openApproval(scribe: Scribe): Wire[] {
  const { random, text } = scribe;
  const [one, other] = [call(scribe), call(scribe)];
  const [first, second] = [text("approval"), text("approval")];
  return [
    {
      role: "assistant",
      content: [
        one.part,
        { type: "tool-approval-request", approvalId: first, toolCallId: one.id },
        other.part,
        { type: "tool-approval-request", approvalId: second, toolCallId: other.id },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-approval-response", approvalId: second, approved: random.chance(0.5), reason: "see the ticket" },
        random.chance(0.5)
          ? { type: "tool-approval-response", approvalId: first, approved: true }
          : result(scribe, one.id, one.name),
      ],
    },
  ];
}

/** A tool that the provider runs: its call and its result stand in the assistant message. */
function providerStep(scribe: Scribe): Wire {
  const id = scribe.text("call");
  const part = {
    type: "tool-call",
    toolCallId: id,
    toolName: "web_search",
    input: { query: "q" },
    providerExecuted: true,
  };
  const found = { type: "tool-result", toolCallId: id, toolName: "web_search", output: { type: "json", value: [] } };
  return { role: "assistant", content: [part, found, words(scribe)] };
}

function pageMessages(scribe: Scribe, size: number): Wire[] {
  const { random, text } = scribe;
  const messages: Wire[] = [];
  for (let i = 0; i < size; i += 1) messages.push(pageUser(scribe), pageAnswer(scribe, i === size - 1));
  if (size === 0 || random.chance(0.5)) messages.push(pageUser(scribe));
  else {
    const approval = { id: text("approval"), approved: random.chance(0.5) };
    const open = {
      ...without(pageTool(scribe), "providerExecuted"),
      ...random.pick<object>([
        { state: "approval-responded", approval },
        { state: "approval-requested", approval: { id: approval.id } },
        { state: "input-available" },
      ]),
    };
    messages.push({
      id: text("message"),
      role: "assistant",
      parts: [{ type: "step-start" }, without(open, "output", "errorText", "preliminary")],
    });
  }
  return messages;
}

const without = (object: Wire, ...keys: string[]): Wire =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

function pageUser({ text }: Scribe): Wire {
  return { id: text("message"), role: "user", parts: [{ type: "text", text: text("user") }] };
}

function pageAnswer(scribe: Scribe, _isLast: boolean): Wire {
  const { random, text } = scribe;
  const steps = Array.from({ length: 1 + random.below(3) }, (): Wire[] => [
    { type: "step-start" },
    ...(random.chance(0.3) ? [{ type: "reasoning", text: text("thought"), state: "done" }] : []),
    ...(random.chance(0.5) ? [{ type: "text", text: text("assistant"), state: "done" }] : []),
    ...Array.from({ length: random.below(3) }, () => pageTool(scribe)),
  ]);
  return { id: text("message"), role: "assistant", parts: [...steps.flat(), { type: "data-note", data: { a: 1 } }] };
}

function pageTool({ random, text }: Scribe): Wire {
  const kind = random.chance(0.8)
    ? { type: `tool-${random.pick(toolNames)}` }
    : { type: "dynamic-tool", toolName: "mcp" };
  const base = { ...kind, toolCallId: text("call"), input: { value: text("argument") } };
  return random.pick<() => Wire>([
    () => ({ ...base, state: "output-available", output: { rows: text("result") } }),
    () => ({ ...base, state: "output-available", output: text("result"), preliminary: true }),
    () => ({ ...base, state: "output-error", errorText: text("result") }),
    () => ({ ...base, state: "output-denied", approval: { id: text("approval"), approved: false, reason: "no" } }),
    () => ({ ...base, state: "output-available", output: text("result"), providerExecuted: true }),
  ])();
}
