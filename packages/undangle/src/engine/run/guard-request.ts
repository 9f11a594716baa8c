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
  const whole = given === own ? own : { ...own, ...given };
  if (whole.messages === own.messages) return whole;
  const left = whole.messages.length === 0 ? own.messages : whole.messages; // nobody answers nothing
  left.forEach(refuseShape);
  const { messages, edits } = mendMessages(left, { language: own.language });
  if (edits.length > 0) onEdits(edits);
  return messages === whole.messages ? whole : { ...whole, messages };
}

/** Hooks may be written without types. */
function refuseShape(message: unknown, place: number): void {
  const { role, parts, results } = isRecord(message) ? message : {};
  const held = role === "tool" ? results : parts;
  const isFine = roles.has(role) && Array.isArray(held) && held.every(isRecord);
  const option = `messages[${place}]`;
  if (!isFine)
    throw new UndangleError("options/value", { option, value: message, allowed: ["a message of the thread"] });
}

const roles: ReadonlySet<unknown> = new Set<Message["role"]>(["system", "user", "assistant", "tool"]);
