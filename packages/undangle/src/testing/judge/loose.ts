/** A JSON object with unknown fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object (not null, not a list). */
export function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as a JSON object; anything else reads as an object without keys. */
export function recordOf(value: unknown): Loose {
  return isRecord(value) ? value : {};
}

/** The value as a list; anything else reads as an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether the value is a string with at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The message list of a request body or of a bare array, and the body around it. */
export function readInput(input: unknown): { readonly messages: readonly unknown[]; readonly body: Loose | undefined } {
  if (Array.isArray(input)) return { messages: input, body: undefined };
  const body = recordOf(input);
  return { messages: listOf(body["messages"]), body };
}

/** The model of the body; "" for none. */
export function modelOf(body: Loose | undefined): string {
  const model = body?.["model"];
  return typeof model === "string" ? model : "";
}

/** A value as error texts quote it: a string unchanged, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}

/** The length of a text as providers count it, in code points instead of UTF-16 code units. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** A path in dot notation, as used by Anthropic, Amazon and others: `messages.1.content.0`. */
export function dotted(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, ".$1");
}
