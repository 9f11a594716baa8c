import { isRecord, makeResult, makeUser, quotePrefix, textContent, unansweredFinding } from "#core";
import type { Content, Entry, Source } from "#core";

import type { Context } from "./repair/context.ts";
import type { Item } from "./repair/item.ts";
import { plain } from "./repair/plain.ts";

/** An OpenAI tool that the client runs. Its calls and outputs have their own item types. */
interface ClientTool {
  readonly name: string;
  readonly output: string;
  /** The arguments of a call. */
  readonly asked: (call: Item) => unknown;
  /** An output with a notice; undefined if the output type has no text. */
  readonly answer: (callId: string, text: string) => Item | undefined;
  /** The content of an output in movable form. */
  readonly said: (output: Item) => readonly Content[];
}

const textOutput = ({ output }: Item): readonly Content[] =>
  typeof output === "string" ? [textContent(output)] : [textContent(JSON.stringify(output ?? ""))];

const tools: Readonly<Record<string, ClientTool>> = {
  // Its output is a screenshot, which cannot be generated.
  computer_call: {
    name: "computer",
    output: "computer_call_output",
    asked: ({ action, actions }) => actions ?? action,
    answer: () => undefined,
    said: ({ output }) => {
      const { image_url: url, file_id: file } = isRecord(output) ? output : nothing;
      const image = { type: "input_image", ...(typeof url === "string" ? { image_url: url } : { file_id: file }) };
      return typeof url === "string" || typeof file === "string" ? [{ type: "media", wire: image }] : [];
    },
  },
  shell_call: {
    name: "shell",
    output: "shell_call_output",
    asked: ({ action }) => action,
    answer: (callId, text) => ({
      type: "shell_call_output",
      call_id: callId,
      output: [{ stdout: "", stderr: text, outcome: { type: "exit", exit_code: 1 } }],
      status: "incomplete",
    }),
    said: textOutput,
  },
  local_shell_call: {
    name: "local_shell",
    output: "local_shell_call_output",
    asked: ({ action }) => action,
    answer: (callId, text) => ({ type: "local_shell_call_output", call_id: callId, output: text }),
    said: textOutput,
  },
  apply_patch_call: {
    name: "apply_patch",
    output: "apply_patch_call_output",
    asked: ({ operation }) => operation,
    answer: (callId, text) => ({
      type: "apply_patch_call_output",
      call_id: callId,
      status: "failed",
      output: text,
    }),
    said: ({ status, output }) => [textContent([status, output].filter((each) => typeof each === "string").join(": "))],
  },

  // Its output has no text, only a list of tools, which is empty.
  tool_search_call: {
    name: "tool_search",
    output: "tool_search_output",
    asked: ({ arguments: args }) => args,
    answer: (callId) => ({
      type: "tool_search_output",
      call_id: callId,
      execution: "client",
      status: "completed",
      tools: [],
    }),
    said: ({ tools: found }) => [textContent(JSON.stringify(found ?? []))],
  },
};

const nothing: Item = {};

const toolsByOutput: ReadonlyMap<unknown, ClientTool> = new Map(
  Object.values(tools).map((tool): [string, ClientTool] => [tool.output, tool]),
);

function toolOf(item: Item): ClientTool | undefined {
  const { type } = item;
  return typeof type === "string" && Object.hasOwn(tools, type) && isClients(item) ? tools[type] : undefined;
}

/** A tool search runs on the server unless it is marked otherwise. */
const isClients = ({ type, execution }: Item): boolean =>
  (type !== "tool_search_call" && type !== "tool_search_output") || execution === "client";

/** The name and the arguments of a client tool call. The arguments are undefined until they arrive. */
export function clientCallIn(item: Item): { readonly name: string; readonly arguments: Item | undefined } | undefined {
  const tool = isHosted(item) ? undefined : toolOf(item);
  if (tool === undefined) return undefined;
  const asked = tool.asked(item);
  const args = Array.isArray(asked) ? { actions: asked } : isRecord(asked) ? asked : undefined;
  return { name: tool.name, arguments: args };
}

/** True for a shell that runs in a container of the provider. */
const isHosted = ({ environment }: Item): boolean =>
  isRecord(environment) && String(environment["type"]).startsWith("container");

/** The call_id of a call that requires an output type of its own from the client. Undefined for any other item. */
export const clientCallId = (item: Item): string | undefined =>
  toolOf(item) !== undefined && typeof item["call_id"] === "string" ? item["call_id"] : undefined;

/** True for the type of a client tool call. */
export const isClientType = (type: unknown): boolean => typeof type === "string" && Object.hasOwn(tools, type);

/** True for the output of a client tool. */
export const isClientOutput = (item: Item): boolean => toolsByOutput.has(item["type"]) && isClients(item);

/** The ids with which an output identifies its call. The local shell also uses `id`, as in the SDK types. */
export const answeredIds = ({ type, call_id: callId, id }: Item): readonly string[] =>
  (type === "local_shell_call_output" ? [callId, id] : [callId]).filter((each) => typeof each === "string");

/** The call ids of all client tool outputs in a list. */
export function answeredByClient(list: readonly unknown[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const item of list) if (isRecord(item) && isClientOutput(item)) for (const id of answeredIds(item)) ids.add(id);
  return ids;
}

/** The call ids of all client tool calls in a list. */
export function clientCallIds(list: readonly unknown[]): Set<string> {
  const ids = new Set<string>();
  for (const item of list) {
    const id = isRecord(item) ? clientCallId(item) : undefined;
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

/** Excludes function outputs for such calls from the pairing. Codex writes them for the local shell. */
export function setClientAnswersApart(entries: readonly Entry[], called: Set<string>): readonly Entry[] {
  if (called.size === 0) return entries;
  // A function output belongs to the function call, even if another call has the same id.
  for (const entry of entries) if (entry.role === "assistant") for (const { id } of entry.calls) called.delete(id);
  return entries.map((entry) => {
    if (entry.role !== "result" || entry.source === undefined) return entry;
    return called.has(entry.id) ? plain("system", entry.source) : entry;
  });
}

/** Adds outputs to calls of such tools, and quotes outputs without a call. */
export function settleClientTools(entries: readonly Entry[], context: Context): readonly Entry[] {
  const items = entries.map(itemOf);
  if (!items.some((item) => toolOf(item) !== undefined || isClientOutput(item))) return entries;
  const answered = new Set(items.filter(isAnyOutput).flatMap(answeredIds));
  const called = new Set<unknown>(items.flatMap((item) => clientCallId(item) ?? []));
  const behind = speakersBehind(entries);
  const isStored = context.isStored();
  const settled: Entry[] = [];
  let waiting: Entry[] = []; // outputs to write after the turn
  entries.forEach((entry, at) => {
    const item = items[at] ?? nothing;
    if (entry.role !== "assistant") {
      for (const answer of waiting) settled.push(answer);
      waiting = [];
    }
    const callId = clientCallId(item);
    const isOpen = callId !== undefined && !answered.has(callId);
    const isOrphan = isClientOutput(item) && !isStored && !answeredIds(item).some((id) => called.has(id));
    if (isOpen) {
      const { stays, answer } = answerCall({ callId, item, source: entry.source, next: behind[at] }, context);
      if (stays) settled.push(entry);
      if (answer !== undefined) (stays ? waiting : settled).push(answer);
    } else if (isOrphan) settled.push(...quoteOutput(item, entry.source, context));
    else settled.push(entry);
  });
  return [...settled, ...waiting];
}

const itemOf = ({ source }: Entry): Item => (isRecord(source?.mended) ? source.mended : nothing);

const isAnyOutput = ({ type }: Item): boolean => typeof type === "string" && type.endsWith("_output");

interface OpenCall {
  readonly callId: string;
  readonly item: Item;
  readonly source: Source | undefined;
  /** The next role. */
  readonly next: Speaker;
}

/** The replacement of a call without an output: an added output, or text. */
function answerCall(
  { callId, item, source, next }: OpenCall,
  { journal, policy }: Context,
): { readonly stays: boolean; readonly answer: Entry | undefined } {
  const tool = toolOf(item);
  if (tool === undefined || source === undefined) return { stays: true, answer: undefined };
  const { name } = tool;
  const finding = unansweredFinding({ id: callId, name }, `input[${source.index}]`);
  if (next === undefined && policy.danglingAtEnd === "leave") {
    journal.report(finding, "left");
    return { stays: true, answer: undefined };
  }
  const asked = JSON.stringify(tool.asked(item) ?? {});
  const cause = next === "user" ? "superseded" : "interrupted";
  const { language } = policy;
  const notice = { id: callId, name, arguments: asked, cause, position: source.index, language } as const;
  const { text, error } = policy.notice(notice);
  const wire = tool.answer(callId, text);
  const answer: Entry =
    wire === undefined
      ? makeUser([textContent([quotePrefix[language], text, asked].join("\n"))])
      : { ...makeResult({ id: callId, name }, text), wire, fresh: false, content: undefined };
  const change = { type: wire === undefined ? ("quote" as const) : ("insert" as const), entry: answer };
  journal.report(finding, error === undefined ? change : { ...change, error });
  return { stays: wire !== undefined, answer };
}

type Speaker = "user" | "assistant" | undefined;

/** For each entry, the role after its turn. */
function speakersBehind(entries: readonly Entry[]): readonly Speaker[] {
  const behind: Speaker[] = Array.from(entries, () => undefined);
  let next: Speaker; // of the entries after this one
  for (let i = entries.length - 1; i >= 0; i--) {
    const role = entries[i]?.role;
    const isInTurn = role === "assistant" && entries[i + 1]?.role === "assistant";
    behind[i] = isInTurn ? behind[i + 1] : next;
    if (role === "user" || role === "assistant") next = role;
  }
  return behind;
}

/** The quotation of an output without a call. The call cannot be reconstructed, because its input is unknown. */
function quoteOutput(item: Item, source: Source | undefined, { journal, policy }: Context): readonly Entry[] {
  const tool = toolsByOutput.get(item["type"]);
  if (tool === undefined || source === undefined) return [];
  const callId = answeredIds(item)[0] ?? "";
  const from = `input[${source.index}]`;
  const finding = { rule: "orphan-result" as const, from, message: `The output ${callId} belongs to no call.`, callId };
  if (policy.orphans === "drop") {
    journal.report(finding, { type: "remove", lossless: false });
    return [];
  }
  const said = tool.said(item);
  const texts = said.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const media = said.filter(({ type }) => type !== "text");
  const quoted = makeUser([textContent([quotePrefix[policy.language], ...texts].join("\n")), ...media]);
  journal.report(finding, { type: "quote", entry: quoted });
  return [quoted];
}
