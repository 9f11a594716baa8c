import { mendMessages } from "#codecs";
import type { Message } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { Edit } from "#core";
import type { ModelRequest } from "#model";

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
  if (!Array.isArray(whole.system) || !whole.system.every(isText))
    throw refusal("system", whole.system, "a list of texts");
  if (whole.messages === own.messages) return whole;
  if (!Array.isArray(whole.messages)) throw refusal("messages", whole.messages, "a list of messages");
  const left = whole.messages.length === 0 ? own.messages : whole.messages; // nobody answers nothing
  left.forEach(refuseShape);
  const { messages, edits } = mendMessages(left, { language: own.language });
  if (edits.length > 0) onEdits(edits);
  return messages === whole.messages ? whole : { ...whole, messages };
}

/** A request with what it lacks taken from another. */
export function completed(given: ModelRequest, own: ModelRequest): ModelRequest {
  if (given === own) return own;
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...own, ...(Object.fromEntries(said) as Partial<ModelRequest>) }; // just those were kept
}

/** A request that hooks can look at, hand on and take apart, and not change where it stands: it is the thread's own. */
export function frozenRequest(request: ModelRequest): ModelRequest {
  for (const message of request.messages) freeze(message);
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
  const { role, parts, results } = isRecord(message) ? message : {};
  const isFine = role === "tool" ? isList(results, isResult) : roles.has(role) && isList(parts, isPart);
  if (!isFine) throw refusal(`messages[${place}]`, message, "a message of the thread");
}

const roles: ReadonlySet<unknown> = new Set<Message["role"]>(["system", "user", "assistant"]);

const isList = (value: unknown, fits: (each: unknown) => boolean): boolean => Array.isArray(value) && value.every(fits);

const isResult = (value: unknown): boolean => isRecord(value) && isList(value["parts"], isPart);

const isText = (value: unknown): boolean => isRecord(value) && typeof value["text"] === "string";

function isPart(value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (value["type"]) {
    case "text":
    case "reasoning":
      return typeof value["text"] === "string";
    case "call":
      return typeof value["name"] === "string" && isRecord(value["input"]);
    case "media":
      return isRecord(value["source"]);
    default:
      return value["type"] === "value";
  }
}

const refusal = (option: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("options/value", { option, value, allowed: [allowed] });
