import type { Message } from "#codecs";
import type { AssembledTurn, TurnPart } from "#core";
import type { ModelRequest } from "#model";

import type { Attributes } from "./open-telemetry.ts";

/** A request in the form of the OpenTelemetry conventions. */
export const askedContent = ({ system, messages }: ModelRequest): Attributes => ({
  ...(system.length > 0 && {
    "gen_ai.system_instructions": JSON.stringify(system.map(({ text }) => ({ type: "text", content: text }))),
  }),
  "gen_ai.input.messages": JSON.stringify(messages.map(shownMessage)),
});

/** A turn in the form of the OpenTelemetry conventions. */
export const saidContent = ({ parts, finish }: AssembledTurn): Attributes => ({
  "gen_ai.output.messages": JSON.stringify([
    {
      role: "assistant",
      parts: parts.map(saidPart),
      finish_reason: finish === "tool_calls" ? "tool_call" : (finish ?? "error"),
    },
  ]),
});

/** A value as JSON. Empty if it cannot be serialized. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return ""; // telemetry must not make a call fail
  }
}

/** The parsed value of a JSON text. Any other text is returned unchanged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // truncated, or not JSON
  }
}

interface Shown {
  readonly type: string;
  readonly [key: string]: unknown;
}

function shownMessage(message: Message): { readonly role: string; readonly parts: readonly Shown[] } {
  if (message.role !== "tool") return { role: message.role, parts: message.parts.map(askedPart) };
  const parts = message.results.map(({ id, parts: given }) => ({
    type: "tool_call_response",
    id,
    response: given.map((part) => (part.type === "text" ? part.text : jsonOf(askedPart(part)))).join("\n"),
  }));
  return { role: "tool", parts };
}

type AskedPart =
  | Exclude<Message, { readonly role: "tool" }>["parts"][number]
  | Extract<Message, { readonly role: "tool" }>["results"][number]["parts"][number];

function askedPart(part: AskedPart): Shown {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text };
    case "call": {
      const { id, name, input } = part;
      return { type: "tool_call", id, name, arguments: "text" in input ? parsed(input.text) : input.value };
    }
    case "value":
      return { type: "value", content: part.value };
    case "media":
      return media(part);
  }
}

function saidPart(part: TurnPart): Shown {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text };
    case "call": {
      const { id, name, arguments: args, raw } = part.call;
      return { type: "tool_call", id, name, arguments: args ?? raw };
    }
    case "media":
      return media(part);
  }
}

/** A description of media without the bytes. */
const media = ({ kind, mediaType }: { readonly kind: string; readonly mediaType: string | undefined }): Shown => ({
  type: "media",
  modality: kind,
  ...(mediaType !== undefined && { mime_type: mediaType }),
});
