import { mendMessages, mendMessagesAsync } from "#codecs";
import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, Edit } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { CallsReadFrom } from "../middleware/guard-stream.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import type { RunNotices } from "../run/notice-texts.ts";

/** Reports repairs. */
type OnEdits = (edits: readonly Edit[]) => void;

/**
 * Protects requests on their way through hooks to the model, and knows which tools hooks hid from them. A step may
 * request several responses, and hooks may replace a response, so each request is kept with its stream.
 */
export class RequestGuard {
  readonly #onEdits: OnEdits;
  readonly #notices: RunNotices;
  #own: ModelRequest | undefined;
  #shown: ModelRequest | undefined; // a hook may set its fields
  #original: ModelRequest | undefined;
  #hidden = none; // from any request of the step
  #sent: readonly SentRequest[] = [];

  constructor(onEdits: OnEdits, notices: RunNotices) {
    this.#onEdits = onEdits;
    this.#notices = notices;
  }

  /** Starts a step. Converts its request for hooks: they can read, pass on and copy it, but cannot change the thread. */
  show(own: ModelRequest): ModelRequest {
    this.#own = own;
    this.#original = frozenRequest(own);
    ofThreads.add(own.messages);
    this.#shown = { ...this.#original };
    this.#hidden = none;
    this.#sent = [];
    return this.#shown;
  }

  /** Records a request that a hook passes to the next one. Throws if it is invalid. */
  see(request: ModelRequest): void {
    if (!this.#isTouched(request)) return;
    refuseInvalid(request);
    if (Array.isArray(request.tools)) this.#hidden = new Set([...this.#hidden, ...this.#hiddenIn(request)]);
  }

  /**
   * Creates a valid request from the one that hooks pass on: omitted fields come from the original, and every call has its
   * result. The original if no hook changed it. A promise if a custom notice is asynchronous.
   */
  read(given: ModelRequest): ModelRequest | Promise<ModelRequest> {
    if (this.#own !== undefined && !this.#isTouched(given)) return this.#own;
    return this.#repaired(given, this.#own ?? given); // a hook may call the model before the engine does
  }

  /** Records a request that reached the model. Returns its stream. */
  asked(request: ModelRequest, stream: ModelStream): ModelStream {
    this.#sent = [...this.#sent, { stream, hidden: this.#hiddenIn(request) }];
    return stream;
  }

  /** The tools that hooks hid from the request of a response. */
  hiddenFrom(turn: AssembledTurn, stream: ModelStream | undefined, callsReadFrom: CallsReadFrom): readonly string[] {
    const sent = this.#sent;
    if (sent.length === 0) return [...this.#hidden]; // a hook has created the response itself
    const own = sent.filter((each) => each.stream === stream);
    const related = own.length > 0 ? own : sent.filter((each) => hasCallOf(turn, callsReadFrom(each.stream)));
    return [...new Set((related.length > 0 ? related : sent).flatMap(({ hidden }) => [...hidden]))];
  }

  /** False for a request that hooks were shown and that no hook has changed. */
  #isTouched(given: ModelRequest): boolean {
    return given !== this.#shown || !isShallowEqual(given, this.#original);
  }

  #hiddenIn({ tools }: ModelRequest): ReadonlySet<string> {
    const own = this.#own?.tools ?? [];
    if (tools === own) return none;
    const names = new Set(tools.map(({ name }) => name));
    return new Set(own.map(({ name }) => name).filter((name) => !names.has(name)));
  }

  /** Validates and repairs a request that hooks have changed. */
  #repaired(given: ModelRequest, own: ModelRequest): ModelRequest | Promise<ModelRequest> {
    refuseInvalid(given);
    const read = completed(given, own);
    const whole = read.knownIds === this.#original?.knownIds ? { ...read, knownIds: own.knownIds } : read;
    if (whole.messages === own.messages) return whole;
    const left = isEmpty(whole.messages) ? own.messages : whole.messages; // an empty list is invalid
    const { language } = own;
    const { messages, edits } = mendMessages(left, { language });
    const notice = edits.length > 0 && !isEmpty(messages) ? this.#notices.current() : undefined;
    if (notice !== undefined)
      return mendMessagesAsync(left, { language, notice }).then((worded) => {
        this.#onEdits(worded.edits);
        return { ...whole, messages: worded.messages };
      });
    if (edits.length > 0) this.#onEdits(edits);
    if (isEmpty(messages)) return { ...whole, messages: own.messages }; // the messages consisted of orphaned results only
    return messages === whole.messages ? whole : { ...whole, messages };
  }
}

/** A request that reached the model, and its response. */
interface SentRequest {
  readonly stream: ModelStream;
  readonly hidden: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** True if a response contains one of these calls. A hook may combine several responses. */
const hasCallOf = ({ calls }: AssembledTurn, read: readonly AssembledCall[]): boolean =>
  read.some((one) => calls.some((call) => call === one || (call.id === one.id && call.name === one.name)));

function isShallowEqual(one: object, other: object = {}): boolean {
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length && entries.every(([key, value]) => Reflect.get(other, key) === value)
  );
}

const isEmpty = (messages: ModelRequest["messages"]): boolean => messages.every(({ role }) => role === "system");

/** Fills omitted fields of a request from another request. */
export function completed(given: ModelRequest, own: ModelRequest): ModelRequest {
  if (given === own) return own;
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(entries) as Partial<ModelRequest>) }; // only keys of a request were kept
}

const isDescription = (value: unknown): boolean => isRecord(value) && typeof value["name"] === "string";

/** The lists of messages that hooks were shown. They are frozen, and every call in them has its result. */
const ofThreads = new WeakSet<ModelRequest["messages"]>();

/** True for the messages of a thread as the engine passed them to hooks. A list like that needs no check and no repair. */
export const isOfThread = (messages: ModelRequest["messages"]): boolean => ofThreads.has(messages);

/** The data of a request belongs to the thread and the agent. Hooks get it frozen, or without a way to change it. */
function frozenRequest(request: ModelRequest): ModelRequest {
  const { messages, system, tools, knownIds } = request;
  for (let i = messages.length - 1; i >= 0 && !Object.isFrozen(messages[i]); i--) freeze(messages[i]); // earlier messages are frozen already
  for (const each of [...system, ...tools]) freeze(each);
  for (const list of [messages, system, tools]) Object.freeze(list);
  return { ...request, knownIds: Object.freeze({ [Symbol.iterator]: () => knownIds[Symbol.iterator]() }) };
}

/** Freezes a value deeply, once. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const each of Object.values(value)) freeze(each);
}

/** Throws for a request from a hook that cannot be sent to a model. */
function refuseInvalid(request: unknown): void {
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
  if (isOfThread(messages)) return undefined;
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
