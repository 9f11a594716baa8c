import { isRecord, wordOf } from "#core";
import type { Content, Source } from "#core";

import { withKey, withoutKeys } from "./message.ts";
import type { Context, Message } from "./message.ts";
import { mendParts } from "./parts.ts";
import type { ChatProfile } from "../profile.ts";

/** A message with valid content; undefined for an empty message that is removed. */
export interface MendedContent {
  readonly message: Message | undefined;
  readonly media: readonly Content[];
}

/** Converts the content of a message to types that its role accepts. */
export function mendContent(message: Message, source: Source, context: Context): MendedContent {
  const role = message["role"] as string; // checked by mendRole
  const content = message["content"];
  if (Array.isArray(content) && content.length > 0) return mendList(message, content, source, context);
  if (typeof content === "string" && content !== "") return { message, media: [] };
  if (content === undefined || content === null || content === "" || Array.isArray(content)) {
    return { message: mendEmpty(message, role, source, context), media: [] };
  }
  const wrapped = isRecord(content) && typeof content["type"] === "string" ? [content] : asText(content);
  const got = isRecord(content) ? "an object" : `a ${typeof content}`;
  context.journal.note(
    { source, suffix: ".content" },
    { rule: "content-type", message: `The content is ${got}, not text or a list of parts.` },
    { type: "rewrite" },
  );
  return typeof wrapped === "string"
    ? { message: withKey(message, "content", wrapped), media: [] }
    : mendList(withKey(message, "content", wrapped), wrapped, source, context);
}

const asText = (value: unknown): string => (isRecord(value) ? JSON.stringify(value) : String(value));

function mendList(message: Message, content: readonly unknown[], source: Source, context: Context): MendedContent {
  const role = message["role"] as string;
  if (role === "tool" && !content.every((part) => isRecord(part) && typeof part["type"] === "string")) {
    const text = content.every((part) => typeof part === "string") ? content.join("\n") : JSON.stringify(content);
    context.journal.note(
      { source, suffix: ".content" },
      { rule: "content-type", message: "The content is a list of untyped values, not text or a list of typed parts." },
      { type: "rewrite" },
    );
    return { message: withKey(message, "content", text), media: [] };
  }
  if (isSilent(content) && isRefusedWhenEmpty(message, role, context)) {
    return { message: sayRefusal(message, source, context) ?? drop(message, source, context), media: [] };
  }
  const { parts, media } = mendParts(content, role, source, context);
  if (role === "tool" && context.profile.resultListsRefused) {
    return { message: joinTexts(message, parts, source, context), media };
  }
  if (parts === content) return { message, media };
  if (isSilent(parts) && isRefusedWhenEmpty(message, role, context)) {
    return { message: sayRefusal(message, source, context) ?? drop(message, source, context), media };
  }
  return { message: withKey(message, "content", parts.length === 0 ? "" : parts), media };
}

/** Joins the parts of a result to one text. */
function joinTexts(message: Message, parts: readonly unknown[], source: Source, { journal }: Context): Message {
  const texts = parts.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""));
  const finding = { rule: "result-content" as const, message: "The content of a result must be a string, not a list." };
  journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
  return withKey(message, "content", texts.join("\n\n"));
}

/** Handles content that is missing, null, "" or []. If it is not allowed, it is filled or the message is dropped. */
function mendEmpty(message: Message, role: string, source: Source, context: Context): Message | undefined {
  const { profile, journal } = context;
  const content = message["content"];
  if (isRefusedWhenEmpty(message, role, context))
    return sayRefusal(message, source, context) ?? drop(message, source, context);
  if (content === "") return message;
  if (Array.isArray(content)) {
    if (!profile.emptyListRefused) return message;
    return fill(message, source, { rule: "empty-message", message: "The content is an empty list." }, context);
  }
  if (role === "assistant" && speaksOtherwise(message, profile)) {
    if (profile.nullContentRefused) return fillBlank(message, source, context);
    if (content === null || !profile.contentKeyRequired) return message;
    const finding = { rule: "missing-content" as const, message: "The message has no content key." };
    journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
    return withKey(message, "content", null);
  }
  if (content === null) {
    if (role === "function") return message; // a legacy result may be null
    const sentence = `The content of ${role === "assistant" ? "an assistant message without calls" : `a ${role} message`} cannot be null.`;
    return fill(message, source, { rule: "null-content", message: sentence }, context);
  }
  const rule = profile.contentKeyRequired ? "missing-content" : "null-content";
  return fill(message, source, { rule, message: `The ${role} message has no content.` }, context);
}

function fill(
  message: Message,
  source: Source,
  finding: { readonly rule: "empty-message" | "missing-content" | "null-content"; readonly message: string },
  { journal }: Context,
): Message {
  journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
  return withKey(message, "content", "");
}

/** Reports about MiMo disagree on empty text beside calls. A space is always accepted. */
function fillBlank(message: Message, source: Source, { journal }: Context): Message {
  const finding = {
    rule: "null-content" as const,
    message: "The content of a message with calls must be text, not null.",
  };
  journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
  return withKey(message, "content", " ");
}

function drop(message: Message, source: Source, { journal }: Context): undefined {
  journal.note(
    { source, suffix: "" },
    { rule: "empty-message", message: `The ${wordOf(message["role"])} message has no text.` },
    { type: "remove", lossless: !Object.keys(message).some((key) => key.startsWith("reasoning") || key === "parts") },
  );
}

/** If only content counts, the refusal text becomes content. */
function sayRefusal(message: Message, source: Source, { journal }: Context): Message | undefined {
  const { refusal } = message;
  if (typeof refusal !== "string" || refusal === "") return undefined;
  const finding = { rule: "empty-message" as const, message: "The message has text only in refusal." };
  journal.note({ source, suffix: ".content" }, finding, { type: "move" });
  return withKey(withoutKeys(message, ["refusal"]), "content", refusal);
}

function isRefusedWhenEmpty(message: Message, role: string, { profile, isAlone }: Context): boolean {
  if (role === "system") return profile.emptySystemRefused && !isAlone;
  if (role !== "assistant" || !profile.emptyAssistantRefused || speaksOtherwise(message, profile)) return false;
  return Boolean(message["refusal"]) || !profile.excuses.some((key) => Boolean(message[key]));
}

/** True for an assistant message with calls, audio or a refusal instead of content, if text is not required. */
function speaksOtherwise(message: Message, { plainAssistantOnly, emptyAssistantRefused }: ChatProfile): boolean {
  const calls = message["tool_calls"];
  if (Array.isArray(calls) && calls.length > 0) return true;
  if (plainAssistantOnly) return false;
  if (typeof message["refusal"] === "string" && !emptyAssistantRefused) return true;
  return isRecord(message["function_call"]) || isRecord(message["audio"]);
}

/** True when every part is empty text. */
function isSilent(parts: readonly unknown[]): boolean {
  return parts.every((part) => isRecord(part) && part["type"] === "text" && part["text"] === "");
}
