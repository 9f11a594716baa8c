import { isRecord } from "#core";
import { repair } from "#undangle";
import type { Edit, RepairOptions } from "#undangle";

import type { ModelCall } from "./model-turn.ts";
import { optionsOf, providerRequest } from "./provider-request.ts";
import type { Place, ProviderRequest } from "./provider-request.ts";
import type { NamedModel } from "./tell-repair.ts";

type Wire = Readonly<Record<string, unknown>>;
type Message = ModelCall["prompt"][number];

/** A model call and its edits. */
export interface Fitted<Call extends ModelCall> {
  readonly call: Call;
  readonly edits: readonly Edit[];
}

/**
 * A call whose prompt, tools and options the provider accepts. The request of its package is drafted and repaired by
 * the rules of its format. Edits that a call can express are applied to the call. Returns the same reference if there
 * are none.
 */
export function fitProvider<Call extends ModelCall>(
  call: Call,
  model: NamedModel,
  { language, danglingAtEnd }: Pick<RepairOptions, "language" | "danglingAtEnd">,
): Fitted<Call> {
  const request = call.prompt.length === 0 ? undefined : providerRequest(call, model);
  if (request === undefined) return { call, edits: [] };
  const { format, provider, body } = request;
  const { edits: found } = repair(body, { format, provider, language, danglingAtEnd });
  const changes = found.flatMap((edit) => changeOf(edit, request) ?? []);
  if (changes.length === 0) return { call, edits: [] };
  const { prompt, indexes } = editPrompt(call.prompt, changes);
  const fitted = changes.reduce((settings, change) => editSettings(settings, change), { ...call, prompt });
  return { call: fitted, edits: changes.flatMap((change) => editsOf(change, call.prompt, indexes)) };
}

type Change = { readonly edit: Edit } & (
  | { readonly type: "insert"; readonly at: "start" | "end"; readonly message: Message }
  | { readonly type: "merge" | "raise"; readonly message: number }
  | { readonly type: "remove"; readonly places: readonly Place[] }
  | { readonly type: "write"; readonly place: Place; readonly key?: string; readonly value: unknown }
  | { readonly type: "set"; readonly setting: Setting; readonly value: unknown }
);

type Setting =
  | "tools"
  | "toolChoice"
  | "providerOptions.anthropic.thinking"
  | "providerOptions.anthropic.contextManagement";

/** The change of the call for an edit of the draft; undefined for parts that the package writes itself. */
function changeOf(edit: Edit, { format, places }: ProviderRequest): Change | undefined {
  const { rule, type, from = "", to = "", after } = edit;
  const at = places.get(from.replace(/\.functionResponse$/u, "")) ?? [];
  switch (rule) {
    case "thinking-first":
      if (to === "thinking") return { edit, type: "set", setting: "providerOptions.anthropic.thinking", value: after };
      return { edit, type: "set", setting: "providerOptions.anthropic.contextManagement", value: { edits: after } };
    case "missing-tools":
      if (to === "tools") return { edit, type: "set", setting: "tools", value: stubsOf(after) };
      return { edit, type: "set", setting: "toolChoice", value: { type: "none" } };
    case "role-order":
    case "split-results":
      if (type === "insert") return { edit, type, at: "start", message: userOf(after) };
      return type === "merge" && format === "gemini" && at[0] ? { edit, type, message: at[0].message } : undefined;
    case "unknown-role":
    case "system-position":
      return at[0] === undefined ? undefined : { edit, type: "raise", message: at[0].message };
    case "orphan-server-result":
      return at[0] === undefined ? undefined : { edit, type: "write", place: at[0], value: after };
    case "server-call-id":
    case "arguments-type":
    case "empty-message":
      return type === "remove" ? removal(edit, at) : writing(edit, places);
    case "last-message":
    case "no-messages":
      return type === "insert" ? { edit, type, at: "end", message: userOf(after) } : removal(edit, at);
    case "encrypted-reasoning":
    case "dangling-reasoning":
    case "duplicate-item":
    case "thinking-disabled":
    case "empty-text":
      return removal(edit, at);
    default:
      return undefined;
  }
}

const removal = (edit: Edit, places: readonly Place[]): Change | undefined =>
  edit.type === "remove" && places.length > 0 ? { edit, type: "remove", places } : undefined;

/** Keys of a prompt by keys of the draft. */
const keys: Readonly<Record<string, string>> = {
  ".id": "toolCallId",
  ".tool_use_id": "toolCallId",
  ".input": "input",
  ".functionCall.args": "input",
  ".content": "content",
  ".parts": "content",
};

function writing(edit: Edit, places: ProviderRequest["places"]): Change | undefined {
  const { from = "", after } = edit;
  const suffix = /\.(?:id|tool_use_id|input|functionCall\.args|content|parts)$/u.exec(from)?.[0] ?? "";
  const [place] = places.get(from.slice(0, from.length - suffix.length)) ?? [];
  const key = keys[suffix];
  if (place === undefined || key === undefined) return undefined;
  return { edit, type: "write", place, key, value: key === "content" ? textsOf(after) : after };
}

/** Tools that are declared only because the history calls them. */
function stubsOf(tools: unknown): readonly Wire[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isRecord).map(({ name, input_schema: inputSchema }) => ({ type: "function", name, inputSchema }));
}

/** The user message that a repair inserted into a draft, in prompt form. */
function userOf(message: unknown): Message {
  const { content, parts } = asRecord(message);
  const user = { role: "user", content: textsOf(content ?? parts) };
  return user;
}

function textsOf(content: unknown): readonly Wire[] {
  const texts = [content].flat().map((part: unknown) => (isRecord(part) ? part["text"] : part));
  return texts.flatMap((text) => (typeof text === "string" ? [{ type: "text", text }] : []));
}

interface EditedPrompt {
  readonly prompt: ModelCall["prompt"];
  /** The new positions of the original messages, by index, and of inserted messages. */
  readonly indexes: ReadonlyMap<number | Message, number>;
}

function editPrompt(prompt: ModelCall["prompt"], changes: readonly Change[]): EditedPrompt {
  if (changes.every(({ type }) => type === "set")) return { prompt, indexes: new Map() };
  const merged = new Set<number>();
  const raised = new Set<number>();
  const touched = new Map<number, Change[]>();
  const [start, end]: [Message[], Message[]] = [[], []];
  for (const change of changes) {
    if (change.type === "insert") (change.at === "start" ? start : end).push(change.message);
    if (change.type === "merge") merged.add(change.message);
    if (change.type === "raise") raised.add(change.message);
    const places = change.type === "remove" ? change.places : change.type === "write" ? [change.place] : [];
    for (const { message } of places) {
      const others = touched.get(message);
      if (others === undefined) touched.set(message, [change]);
      else others.push(change);
    }
  }
  const edited: Message[] = [];
  const indexes = new Map<number | Message, number>();
  const add = (key: number | Message, message: Message): void => void indexes.set(key, edited.push(message) - 1);
  const first = prompt.findIndex(({ role }) => role !== "system");
  prompt.forEach((message, index) => {
    if (index === first) {
      prompt.forEach((system, of) => raised.has(of) && add(of, system));
      for (const user of start) add(user, user);
    }
    if (raised.has(index)) return;
    const kept = editMessage(message, index, touched.get(index));
    if (kept === undefined) return;
    const at = edited.findLastIndex(({ role }) => role !== "system");
    const before = edited[at];
    if (before?.role !== kept.role || !merged.has(index)) add(index, kept);
    else {
      edited[at] = { ...kept, ...before, ...withContent([...contentOf(before), ...contentOf(kept)]) };
      indexes.set(index, at);
    }
  });
  for (const user of end) add(user, user);
  return { prompt: edited, indexes };
}

const contentOf = (message: Message): readonly unknown[] =>
  "content" in message && Array.isArray(message.content) ? (message.content as readonly unknown[]) : []; // an array of anything

const withContent = (content: unknown): { readonly content: unknown } => ({ content });

/** The message with its changes; undefined if nothing is left. */
function editMessage(message: Message, index: number, changes: readonly Change[] | undefined): Message | undefined {
  if (changes === undefined) return message;
  const removed = new Set<number | undefined>();
  const written = new Map<number | undefined, Wire>();
  for (const change of changes) {
    for (const { message: of, part } of change.type === "remove" ? change.places : [])
      if (of === index) removed.add(part);
    if (change.type !== "write") continue;
    const { place, key, value } = change;
    const given = asRecord(place.part === undefined ? undefined : contentOf(message)[place.part]);
    written.set(
      place.part,
      key === undefined ? asRecord(value) : { ...given, ...written.get(place.part), [key]: value },
    );
  }
  if (removed.has(undefined)) return undefined;
  const whole = written.get(undefined);
  if (whole !== undefined) return { ...message, ...whole };
  const content = contentOf(message).flatMap((part, place) => {
    if (removed.has(place)) return [];
    return [written.get(place) ?? part];
  });
  return content.length === 0 ? undefined : { ...message, ...withContent(content) };
}

const asRecord = (value: unknown): Wire => (isRecord(value) ? value : {});

function editSettings<Call extends ModelCall>(call: Call, change: Change): Call {
  if (change.type !== "set") return call;
  const { setting, value } = change;
  if (setting === "tools" || setting === "toolChoice") return { ...call, [setting]: value };
  const key = setting.slice(setting.lastIndexOf(".") + 1);
  const anthropic = optionsOf(call, "anthropic");
  const after = key === "contextManagement" ? { ...asRecord(anthropic[key]), ...asRecord(value) } : value;
  return { ...call, providerOptions: { ...call.providerOptions, anthropic: { ...anthropic, [key]: after } } };
}

/** The change as an edit of the call. */
function editsOf(change: Change, prompt: ModelCall["prompt"], indexes: EditedPrompt["indexes"]): readonly Edit[] {
  const { rule, lossless, before } = change.edit;
  const edit = { rule, lossless, reconstructed: false };
  switch (change.type) {
    case "insert":
      return [{ ...edit, type: "insert", to: `messages[${indexes.get(change.message)}]`, after: change.message }];
    case "merge":
    case "raise":
      return [
        {
          ...edit,
          type: change.type === "raise" ? "move" : "merge",
          from: `messages[${change.message}]`,
          to: `messages[${indexes.get(change.message)}]`,
        },
      ];
    case "remove":
      return change.places.map((place) => ({
        ...edit,
        type: "remove",
        from: pathOf(place),
        before: valueAt(prompt, place),
      }));
    case "write": {
      const { place, key, value: after } = change;
      const tail = key === undefined ? "" : `.${key}`;
      const from = `${pathOf(place)}${tail}`;
      const to = `${pathOf({ ...place, message: indexes.get(place.message) ?? place.message })}${tail}`;
      const given = valueAt(prompt, place);
      const before = key === undefined ? given : asRecord(given)[key];
      return [{ ...edit, type: change.edit.type, from, to, before, after }];
    }
    case "set": {
      const { setting: to, value: after } = change;
      return [{ ...edit, type: change.edit.type, from: to, to, ...(before === undefined ? {} : { before }), after }];
    }
  }
}

const pathOf = ({ message, part }: Place): string =>
  part === undefined ? `messages[${message}]` : `messages[${message}].content[${part}]`;

function valueAt(prompt: ModelCall["prompt"], { message, part }: Place): unknown {
  const found = prompt[message];
  return part === undefined || found === undefined ? found : contentOf(found)[part];
}
