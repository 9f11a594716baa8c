import { mendMessages, mendMessagesAsync } from "#codecs";
import { isRecord } from "#core";
import type { Edit } from "#core";
import type { ModelRequest } from "#model";

import { Look } from "../middleware/look.ts";
import type { Lazy } from "../middleware/look.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import { isMessage, isTextPart } from "./is-message.ts";
import type { NoticeText } from "../run/notice-texts.ts";

/** Requests on their way through hooks to the model. */
export interface RequestGuard {
  /** A request as hooks get it: they can look at it, hand it on and take it apart, and not change what is the thread's own. */
  readonly show: (own: ModelRequest) => ModelRequest;
  /**
   * A valid request from whatever hooks made of theirs: omitted fields come from the original, and every call has its
   * result. The original if no hook changed it. A promise if a custom notice is asynchronous.
   */
  readonly read: (given: ModelRequest) => ModelRequest | Promise<ModelRequest>;
  /** False for a request that is the one that hooks were shown, and that no hook has looked at. */
  readonly isTouched: (given: ModelRequest) => boolean;
}

/** What a guard says to others, and in whose words. */
export interface GuardTalk {
  readonly onEdits: (edits: readonly Edit[]) => void;
  /** Undefined for ours. */
  readonly words: () => NoticeText | undefined;
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
  refuseOdd(given);
  const whole = completed(given, own);
  if (whole.messages === own.messages) return whole;
  const left = isEmpty(whole.messages) ? own.messages : whole.messages; // an empty list is invalid
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

/** Refuses a request that a hook hands on and no model can be asked. */
export function refuseOdd(request: unknown): void {
  const problem = requestProblem(request);
  if (problem !== undefined) throw new HookMisuse(`it handed on a request in which ${problem}`);
}

/** What is wrong with a request of a hook; hooks may be written without types. What it leaves out is taken from another. */
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

/** A value in few words. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return `an object with ${Object.keys(value).join(", ") || "nothing in it"}`;
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
