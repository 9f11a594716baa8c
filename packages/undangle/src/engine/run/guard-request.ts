import { mendMessages } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { Edit } from "#core";
import type { ModelRequest } from "#model";

import { isMessage, isTextPart } from "./is-message.ts";

/**
 * A request as the model may get it, whatever hooks have made of the engine's own: what they left out is taken from that, and
 * every call in it has its result. The same one when nobody has touched the messages.
 */
export function guardRequest(
  given: ModelRequest,
  own: ModelRequest,
  onEdits: (edits: readonly Edit[]) => void,
): ModelRequest {
  const whole = completed(given, own);
  if (!Array.isArray(whole.system) || !whole.system.every(isTextPart))
    throw refusal("system", whole.system, "a list of texts");
  if (whole.messages === own.messages) return whole;
  if (!Array.isArray(whole.messages)) throw refusal("messages", whole.messages, "a list of messages");
  const isEmpty = whole.messages.every(({ role }) => role === "system");
  const left = isEmpty ? own.messages : whole.messages; // nobody answers nothing
  left.forEach(refuseShape);
  const { messages, edits } = mendMessages(left, { language: own.language });
  if (edits.length > 0) onEdits(edits);
  return messages === whole.messages ? whole : { ...whole, messages };
}

/** A request with what it lacks taken from another. */
export function completed(given: ModelRequest, own: ModelRequest): ModelRequest {
  if (given === own) return own;
  if (!isRecord(given)) throw refusal("request", given, "a request");
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(said) as Partial<ModelRequest>) }; // just those were kept
}

/** A request that hooks can look at, hand on and take apart, and not change where it stands: it is the thread's own. */
export function frozenRequest(request: ModelRequest): ModelRequest {
  const { messages } = request;
  for (let i = messages.length - 1; i >= 0 && !Object.isFrozen(messages[i]); i--) freeze(messages[i]); // the others were before
  for (const part of request.system) freeze(part);
  Object.freeze(request.messages);
  Object.freeze(request.system);
  Object.freeze(request.tools);
  return request;
}

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
