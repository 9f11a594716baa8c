import { isRecord } from "#core";
import type { Content, Source } from "#core";

import { contentKey } from "../../gemini/message-of-parts.ts";
import { refusedMedia } from "./media.ts";
import type { Context, Message } from "./message.ts";

/** The valid parts of a message. */
export interface MendedParts {
  /** The same array if nothing changed. */
  readonly parts: readonly unknown[];
  /** Media that are only allowed in a user message. */
  readonly media: readonly Content[];
}

/** The part types that each role accepts. */
const allowed: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(["text", "image_url", "input_audio", "file"]),
  assistant: new Set(["text", "refusal"]),
  tool: new Set(["text"]),
  function: new Set(["text"]),
  system: new Set(["text"]),
  developer: new Set(["text"]),
};

/** Calls and results of other formats, which no server accepts as parts. */
const foreignTypes = new Set([
  "tool_use",
  "tool_result",
  "server_tool_use",
  "tool-call",
  "tool-result",
  "tool_call",
  "function_call",
  "function_call_output",
  "functionCall",
  "functionResponse",
]);

/** Other formats' names for text. */
const textTypes = new Set(["input_text", "output_text", "text"]);
const imageTypes = new Set(["image_url", "image", "input_image"]);

/** Keeps valid parts, converts equivalents of other formats, and removes images from other roles. */
export function mendParts(parts: readonly unknown[], role: string, source: Source, context: Context): MendedParts {
  const media: Content[] = [];
  let changed = false;
  const key = contentKey(source);
  const mended = parts.flatMap((part, place) => {
    const isAsked = !context.policy.keepsMedia && isRecord(part) && mayShow(part, role);
    const refused = isAsked ? refusedMedia(toImage(part), context.profile) : undefined;
    if (refused !== undefined) {
      changed = true;
      const finding = { rule: "media-refused" as const, message: refused.why };
      const at = { source, suffix: `.${key}[${place}]` };
      const suffix = `.content[${place}]`;
      context.journal.note(at, finding, { type: "rewrite", suffix, lossless: refused.lossless });
      return [refused.part];
    }
    if (saysNothing(part)) {
      changed = true;
      const finding = { rule: "content-type" as const, message: "The part is not an object and has no content." };
      context.journal.note({ source, suffix: `.${key}[${place}]` }, finding, { type: "remove" });
      return [];
    }
    const kept = mendPart(part, role, context.profile.partTypesChecked);
    if (kept === part) return [part];
    changed = true;
    const at = { source, suffix: `.${key}[${place}]`, ...(kept === "elsewhere" ? { part: { place, tail: "" } } : {}) };
    if (kept === "elsewhere") {
      media.push({ type: "media", wire: isRecord(part) ? toImage(part) : part, origin: { source, place } });
      context.journal.note(
        at,
        { rule: "image-role", message: `An image must be in a user message, not in a message of role ${role}.` },
        { type: "move" },
      );
      return [];
    }
    context.journal.note(
      at,
      { rule: "content-type", message: `${describe(part)} cannot be part of a ${role} message.` },
      { type: "rewrite", suffix: `.content[${place}]` },
    );
    return [kept];
  });
  return { parts: changed ? mended : parts, media };
}

const saysNothing = (part: unknown): boolean =>
  part === null || part === undefined || part === "" || (Array.isArray(part) && part.length === 0);

/** The part itself, a rewritten one, or "elsewhere" if it must move to another message. */
function mendPart(part: unknown, role: string, checked: boolean): unknown {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isRecord(part)) return { type: "text", text: JSON.stringify(part) ?? "" };
  const type = part["type"];
  const text = part["text"];
  if (typeof type !== "string") return { type: "text", text: typeof text === "string" ? text : JSON.stringify(part) };
  if (type === "text")
    return typeof text === "string" ? part : { ...part, text: text === undefined ? "" : JSON.stringify(text) };
  if (imageTypes.has(type) && role !== "user") return "elsewhere";
  const isTaken = checked || isResult(role) ? allowed[role]?.has(type) === true : !foreignTypes.has(type);
  if (isTaken) return part;
  if (textTypes.has(type) && typeof text === "string") return { ...part, type: "text" };
  if (imageTypes.has(type)) return toImage(part);
  return { type: "text", text: JSON.stringify(part) };
}

/** In a result, only images count as media. All other parts are foreign values. */
const mayShow = ({ type }: Message, role: string): boolean =>
  !isResult(role) || (typeof type === "string" && imageTypes.has(type));

/** Tool output is always text; in other messages servers have their own part types. */
const isResult = (role: string): boolean => role === "tool" || role === "function";

/** Converts an image part to the chat format. Other parts stay unchanged. */
function toImage(part: Message): Message {
  if (part["type"] !== "image" && part["type"] !== "input_image") return part;
  const source = part["source"];
  if (isRecord(source) && typeof source["url"] === "string")
    return { type: "image_url", image_url: { url: source["url"] } };
  if (isRecord(source) && typeof source["data"] === "string") {
    const type = typeof source["media_type"] === "string" ? source["media_type"] : "image/png";
    return { type: "image_url", image_url: { url: `data:${type};base64,${source["data"]}` } };
  }
  const url = part["image_url"];
  return typeof url === "string" ? { type: "image_url", image_url: { url } } : part;
}

function describe(part: unknown): string {
  return isRecord(part) && typeof part["type"] === "string"
    ? `A part of type ${part["type"]}`
    : "A part without a type";
}
