import { isRecord } from "#core";
import type { Edit } from "#undangle";

import { takesBack } from "./server-tools.ts";
import type { NamedModel } from "./tell-repair.ts";

type Wire = Readonly<Record<string, unknown>>;
type Prompt = readonly { readonly role: string }[];

/** A prompt without calls of other providers, and the edits. */
export interface Retold {
  readonly prompt: Prompt;
  /** The edits, once the final prompt is known. */
  edits(sent: Prompt): readonly Edit[];
}

/**
 * A prompt in which calls and results of another provider's tools are text. The package of this provider would drop the
 * result and keep the call. Returns the same reference if there are none.
 */
export function retellCalls(prompt: Prompt, model: NamedModel): Retold {
  const { provider, specificationVersion: version } = model ?? {};
  const target = { provider: typeof provider === "string" ? provider : "", version };
  const found = callsOfOthers(prompt, (call) => !takesBack(call, target));
  if (found.size === 0) return { prompt, edits: () => [] };
  const isTold = (part: unknown): part is Wire =>
    (isRunCall(part) || isType(part, "tool-result")) && found.has(part["toolCallId"]);
  const answered = resultsInTools(prompt);
  const changes: Change[] = [];
  const retold = prompt.map((message, index) => {
    if (message.role !== "assistant") return message;
    const parts = partsOf(message);
    const content = parts.map((part, place) => {
      if (!isTold(part)) return part;
      const previous = parts[place - 1];
      const lines = { before: isType(previous, "text") || isTold(previous), after: isType(parts[place + 1], "text") };
      const said = answered.has(part["toolCallId"]) ? asOwn(part) : inWords(part, lines);
      if (said.after !== part) changes.push({ ...said, before: part, from: `messages[${index}].content[${place}]` });
      return said.after;
    });
    return content.every((part, place) => part === parts[place]) ? message : { ...message, content };
  });
  return { prompt: retold, edits: (sent) => editsOf(changes, sent) };
}

interface Change {
  readonly before: Wire;
  readonly after: Wire;
  readonly from: string;
  readonly lossless: boolean;
}

const partsOf = (message: unknown): readonly unknown[] => {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) ? (content as readonly unknown[]) : []; // an array of anything
};

const isType = (part: unknown, type: string): part is Wire => isRecord(part) && part["type"] === type;

/** A call that a provider runs, not the application. */
const isRunCall = (part: unknown): part is Wire => isType(part, "tool-call") && part["providerExecuted"] === true;

/** The ids of provider calls that match the test. */
function callsOfOthers(prompt: Prompt, isOther: (call: Wire) => boolean): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  for (const message of prompt) {
    if (message.role !== "assistant") continue;
    for (const part of partsOf(message)) {
      if (isRunCall(part) && isOther(part)) found.add(part["toolCallId"]);
    }
  }
  return found;
}

/** The ids of results in tool messages. */
function resultsInTools(prompt: Prompt): ReadonlySet<unknown> {
  const results = prompt.filter(({ role }) => role === "tool").flatMap(partsOf);
  return new Set(results.flatMap((part) => (isType(part, "tool-result") ? [part["toolCallId"]] : [])));
}

type Said = Pick<Change, "after" | "lossless">;

/** The call as an application call, for a result in a tool message. */
function asOwn(part: Wire): Said {
  const { providerExecuted, ...after } = part;
  return { after: providerExecuted === true ? after : part, lossless: true };
}

/** A call or its result as text. Packages join texts without a separator, so line breaks are added. */
function inWords(part: Wire, lines: { readonly before: boolean; readonly after: boolean }): Said {
  const { type, toolName, input, output } = part;
  const said = type === "tool-call" ? readable(input) : readableOutput(output);
  const name = typeof toolName === "string" ? toolName : "tool";
  const text = `${lines.before ? "\n" : ""}[${name}: ${said.text}]${lines.after ? "\n" : ""}`;
  return { after: { type: "text", text }, lossless: said.isWhole };
}

interface Readable {
  readonly text: string;
  readonly isWhole: boolean;
}

function readableOutput(output: unknown): Readable {
  if (!isRecord(output)) return readable(output);
  const { type, value, reason } = output;
  const { text, isWhole } = readable(value ?? reason);
  const isError = typeof type === "string" && type.startsWith("error");
  return { text: type === "execution-denied" ? `denied ${text}`.trim() : isError ? `error ${text}` : text, isWhole };
}

/** The readable part of a value: no encrypted data and no file bytes. */
function readable(value: unknown): Readable {
  if (typeof value === "string") return { text: value, isWhole: true };
  let isWhole = true;
  const leaveOut = (instead: string | undefined): string | undefined => {
    isWhole = false;
    return instead;
  };
  const text = JSON.stringify(value, (key, each: unknown) => {
    if (/^encrypted/iu.test(key)) return leaveOut(undefined);
    return typeof each === "string" && isData(each) ? leaveOut(`[${each.length} characters of data]`) : each;
  });
  return { text: text ?? "", isWhole };
}

/** True for a long text without words: an image or a file. */
const isData = (text: string): boolean => text.length > 2000 && /^(?:data:[^,]{1,100},)?[\w+/=-]+$/u.test(text);

function editsOf(changes: readonly Change[], sent: Prompt): readonly Edit[] {
  const places = new Map<unknown, string>();
  sent.forEach((message, index) => {
    if (message.role !== "assistant") return;
    partsOf(message).forEach((part, place) => places.set(part, `messages[${index}].content[${place}]`));
  });
  return changes.map(({ before, after, from, lossless }): Edit => {
    const to = places.get(after);
    const { toolCallId: id } = before;
    return {
      rule: "content-type",
      type: "rewrite",
      lossless,
      reconstructed: false,
      from,
      ...(to === undefined ? {} : { to }),
      before,
      after,
      ...(typeof id === "string" ? { callId: id } : {}),
    };
  });
}
