import { mendMessages, mendMessagesAsync } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { Edit } from "#core";
import type { ModelRequest } from "#model";

import { Look } from "../middleware/look.ts";
import type { Lazy } from "../middleware/look.ts";
import { isMessage, isTextPart } from "./is-message.ts";
import type { Words } from "./last-words.ts";

/** Requests on their way through hooks to the model. */
export interface RequestGuard {
  /** A request as hooks get it: they can look at it, hand it on and take it apart, and not change what is the thread's own. */
  readonly show: (own: ModelRequest) => ModelRequest;
  /**
   * A request as the model may get it, whatever hooks have made of the one that they were shown: what they left out is taken
   * from that, and every call in it has its result. The engine's own when nobody has touched it. A promise where words of
   * somebody else are asked for.
   */
  readonly read: (given: ModelRequest) => ModelRequest | Promise<ModelRequest>;
  /** False for a request that is the one that hooks were shown, and that no hook has looked at. */
  readonly isTouched: (given: ModelRequest) => boolean;
}

/** What a guard says to others, and in whose words. */
export interface GuardTalk {
  readonly onEdits: (edits: readonly Edit[]) => void;
  /** Undefined for ours. */
  readonly words: () => Words | undefined;
}

export function createRequestGuard(talk: GuardTalk): RequestGuard {
  let own: ModelRequest | undefined;
  let look: Look<ModelRequest> | undefined;
  const isTouched = (given: ModelRequest): boolean => given !== look?.shown || look.isTaken;
  return {
    isTouched,
    show(request) {
      own = request;
      look = new Look({ ...request }, frozen);
      return look.shown;
    },
    read(given) {
      if (own !== undefined && !isTouched(given)) return own;
      return mended(given, own ?? given, talk); // a hook may ask before the engine does
    },
  };
}

/** A request that hooks have had their hands on, made whole. */
function mended(
  given: ModelRequest,
  own: ModelRequest,
  { onEdits, words }: GuardTalk,
): ModelRequest | Promise<ModelRequest> {
  const whole = completed(given, own);
  if (!Array.isArray(whole.system) || !whole.system.every(isTextPart))
    throw refusal("system", whole.system, "a list of texts");
  if (!Array.isArray(whole.tools) || !whole.tools.every(isDescription))
    throw refusal("tools", whole.tools, "a list of tools with their names");
  if (whole.messages === own.messages) return whole;
  if (!Array.isArray(whole.messages)) throw refusal("messages", whole.messages, "a list of messages");
  const left = isEmpty(whole.messages) ? own.messages : whole.messages; // nobody answers nothing
  left.forEach(refuseShape);
  const { language } = own;
  const { messages, edits } = mendMessages(left, { language });
  if (edits.length > 0) onEdits(edits);
  if (isEmpty(messages)) return { ...whole, messages: own.messages }; // all of it was results of nothing
  const notice = edits.length > 0 ? words() : undefined;
  if (notice !== undefined)
    return mendMessagesAsync(left, { language, notice }).then((worded) => ({ ...whole, messages: worded.messages }));
  return messages === whole.messages ? whole : { ...whole, messages };
}

const isEmpty = (messages: ModelRequest["messages"]): boolean => messages.every(({ role }) => role === "system");

/** A request with what it lacks taken from another. */
export function completed(given: ModelRequest, own: ModelRequest): ModelRequest {
  if (given === own) return own;
  if (!isRecord(given)) throw refusal("request", given, "a request");
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(said) as Partial<ModelRequest>) }; // just those were kept
}

const isDescription = (value: unknown): boolean => isRecord(value) && typeof value["name"] === "string";

/** What a request is made of is the thread's own, and the agent's: hooks get it frozen, or a copy of what cannot be frozen. */
const frozen: Lazy<ModelRequest> = {
  keys: ["messages", "system", "tools", "knownIds"],
  make(target: { -readonly [Key in keyof ModelRequest]: ModelRequest[Key] }) {
    const { messages, system, tools } = target;
    for (let i = messages.length - 1; i >= 0 && !Object.isFrozen(messages[i]); i--) freeze(messages[i]); // the others were before
    for (const part of system) freeze(part);
    for (const each of tools) freeze(each);
    Object.freeze(messages);
    Object.freeze(system);
    Object.freeze(tools);
    target.knownIds = new Set(target.knownIds);
  },
};

/** Freezes what a model gets to see, all of it and once. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const each of Object.values(value)) freeze(each);
}

/** Hooks may be written without types. */
function refuseShape(message: unknown, place: number): void {
  if (!isMessage(message)) throw refusal(`messages[${place}]`, message, "a message of the thread");
}

const refusal = (option: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("options/value", { option, value, allowed: [allowed] });
