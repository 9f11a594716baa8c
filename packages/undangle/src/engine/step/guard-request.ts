import { mendMessages, mendMessagesAsync } from "#codecs";
import { isRecord } from "#core";
import type { Edit } from "#core";
import type { ModelRequest } from "#model";

import { HookMisuse } from "../middleware/wrapping.ts";
import type { NoticeText } from "../run/notice-texts.ts";

/** Protects requests on their way through hooks to the model. */
export interface RequestGuard {
  /** Converts a request for hooks. They can read, pass on and copy it, but cannot change the data of the thread. */
  readonly show: (own: ModelRequest) => ModelRequest;
  /**
   * Creates a valid request from the one that hooks pass on: omitted fields come from the original, and every call has its
   * result. The original if no hook changed it. A promise if a custom notice is asynchronous.
   */
  readonly read: (given: ModelRequest) => ModelRequest | Promise<ModelRequest>;
  /** False for a request that hooks were shown and that no hook has changed. */
  readonly isTouched: (given: ModelRequest) => boolean;
}

/** How a guard reports repairs and words notices. */
export interface GuardOptions {
  readonly onEdits: (edits: readonly Edit[]) => void;
  /** Undefined for the default wording. */
  readonly words: () => NoticeText | undefined;
}

export function createRequestGuard(options: GuardOptions): RequestGuard {
  let own: ModelRequest | undefined;
  let shown: ModelRequest | undefined; // a hook may set its fields
  let original: ModelRequest | undefined;
  const isTouched = (given: ModelRequest): boolean => given !== shown || !isShallowEqual(given, original);
  return {
    isTouched,
    show(request) {
      own = request;
      original = frozenRequest(request);
      shown = { ...original };
      return shown;
    },
    read(given) {
      if (own !== undefined && !isTouched(given)) return own;
      return repaired(given, own ?? given, options); // a hook may call the model before the engine does
    },
  };
}

function isShallowEqual(one: object, other: object = {}): boolean {
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length && entries.every(([key, value]) => Reflect.get(other, key) === value)
  );
}

/** Validates and repairs a request that hooks have changed. */
function repaired(
  given: ModelRequest,
  own: ModelRequest,
  { onEdits, words }: GuardOptions,
): ModelRequest | Promise<ModelRequest> {
  refuseInvalid(given);
  const whole = completed(given, own);
  if (whole.messages === own.messages) return whole;
  const left = isEmpty(whole.messages) ? own.messages : whole.messages; // an empty list is invalid
  const { language } = own;
  const { messages, edits } = mendMessages(left, { language });
  if (edits.length > 0) onEdits(edits);
  if (isEmpty(messages)) return { ...whole, messages: own.messages }; // the messages consisted of orphaned results only
  const notice = edits.length > 0 ? words() : undefined;
  if (notice !== undefined)
    return mendMessagesAsync(left, { language, notice }).then((worded) => ({ ...whole, messages: worded.messages }));
  return messages === whole.messages ? whole : { ...whole, messages };
}

const isEmpty = (messages: ModelRequest["messages"]): boolean => messages.every(({ role }) => role === "system");

/** Fills omitted fields of a request from another request. */
export function completed(given: ModelRequest, own: ModelRequest): ModelRequest {
  if (given === own) return own;
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(entries) as Partial<ModelRequest>) }; // only keys of a request were kept
}

const isDescription = (value: unknown): boolean => isRecord(value) && typeof value["name"] === "string";

/** The data of a request belongs to the thread and the agent. Hooks get it frozen, or a copy of what cannot be frozen. */
function frozenRequest(request: ModelRequest): ModelRequest {
  const { messages, system, tools, knownIds } = request;
  for (let i = messages.length - 1; i >= 0 && !Object.isFrozen(messages[i]); i--) freeze(messages[i]); // earlier messages are frozen already
  for (const each of [...system, ...tools]) freeze(each);
  for (const list of [messages, system, tools]) Object.freeze(list);
  return { ...request, knownIds: new Set(knownIds) };
}

/** Freezes a value deeply, once. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const each of Object.values(value)) freeze(each);
}

/** Throws for a request from a hook that cannot be sent to a model. */
export function refuseInvalid(request: unknown): void {
  const problem = requestProblem(request);
  if (problem !== undefined) throw new HookMisuse(`it handed on a request in which ${problem}`);
}

/** What is wrong with a request from a hook, which may be written without types. Omitted fields are allowed. */
export function requestProblem(request: unknown): string | undefined {
  if (!isRecord(request)) return `there is nothing: it is ${shown(request)}`;
  const { system, tools, messages } = request;
  if (system !== undefined && !(Array.isArray(system) && system.every(isTextPart)))
    return "`system` is not a list of texts, { text }";
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isDescription)))
    return "`tools` is not a list of tools, each with a name";
  if (messages === undefined) return undefined;
  if (!Array.isArray(messages)) return "`messages` is not a list";
  const place = messages.findIndex((each) => !isMessage(each));
  return place === -1 ? undefined : `\`messages[${place}]\` is ${shown(messages[place])}, and not a message`;
}

/** Describes a value briefly. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return `an object with ${Object.keys(value).join(", ") || "nothing in it"}`;
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}

/** True for a valid message from any source: each kind of part belongs to certain roles. */
export function isMessage(value: unknown): boolean {
  const { role, parts, results } = isRecord(value) ? value : {};
  switch (role) {
    case "system":
      return isList(parts, isTextPart);
    case "user":
      return isList(parts, isTextOrMedia);
    case "assistant":
      return isList(parts, (each) => isTextOrMedia(each) || isAssistantPart(each));
    case "tool":
      return isList(results, (each) => isRecord(each) && isList(each["parts"], isResultPart));
    default:
      return false;
  }
}

const isTextPart = (value: unknown): boolean => isRecord(value) && typeof value["text"] === "string";

/** True for text and media parts. */
function isTextOrMedia(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "text") return typeof value["text"] === "string";
  const { source } = value;
  return value["type"] === "media" && isRecord(source) && typeof source["type"] === "string";
}

function isAssistantPart(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value["type"] === "reasoning") return typeof value["text"] === "string";
  const { name, input } = value;
  return (
    value["type"] === "call" && typeof name === "string" && isRecord(input) && ("text" in input || "value" in input)
  );
}

const isResultPart = (value: unknown): boolean =>
  isTextOrMedia(value) || (isRecord(value) && value["type"] === "value");

const isList = (value: unknown, fits: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(fits);
