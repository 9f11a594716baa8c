import { acceptsName, isRecord, makeUser } from "#core";
import type { AssistantEntry, Content, Entry, ResultEntry, Source } from "#core";

import { mendPartsShape } from "../../gemini/message-of-parts.ts";
import { dropNothing } from "../../plain-list.ts";
import { newResult } from "../../new-entries.ts";
import { readCalls, readId, reportNumber } from "./calls.ts";
import { mendContent } from "./content.ts";
import { adoptCalls, adoptResults } from "./foreign.ts";
import { isRefused, withKey, withoutKeys } from "./message.ts";
import type { Context, Message } from "./message.ts";
import { mendRole } from "./roles.ts";

/** Reads a range of chat messages into entries that the provider accepts. */
export function readChat(list: readonly unknown[], start: number, end: number, context: Context): Entry[] {
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) readOne(list[index], index, entries, context);
  return entries;
}

function readOne(wire: unknown, index: number, entries: Entry[], context: Context): void {
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  if (dropNothing(source, "unknown-role", context.journal)) return;
  const shaped = isRecord(wire) ? mendPartsShape(wire, source, context) : wire;
  const mended = shaped === undefined ? undefined : mendRole(shaped, source, context);
  if (mended === undefined) {
    entries.push(plain("system", source)); // its meaning is unclear, so it stays in place
    return;
  }
  const named = mended["role"] === "function" ? mendFunction(mended, source, entries, context) : mended;
  const own = named["role"] === "user" ? readForeign(named, source, entries, context) : named;
  const read = own === undefined ? undefined : readMessage(own, source, context);
  if (read === undefined) return;
  entries.push(read.entry);
  if (read.media.length > 0) context.media.set(read.entry, read.media);
}

/** Moves the results out of a user message. Undefined if the message contains nothing else. */
function readForeign(message: Message, source: Source, entries: Entry[], context: Context): Message | undefined {
  const readTool = (tool: Message, origin: Source, name: string | undefined): ResultEntry | undefined => {
    const read = readMessage(tool, origin, context);
    if (read?.entry.role !== "result") return undefined;
    read.entry.fresh = true;
    if (name !== undefined) read.entry.name = name;
    if (read.media.length > 0) context.media.set(read.entry, read.media);
    return read.entry;
  };
  const { message: rest, results } = adoptResults(message, source, readTool, context);
  for (const result of results) entries.push(result);
  return rest;
}

function readMessage(
  message: Message,
  source: Source,
  context: Context,
): { readonly entry: Entry; readonly media: readonly Content[] } | undefined {
  const role = message["role"];
  const isAssistant = role === "assistant";
  const modern =
    isAssistant && context.profile.plainAssistantOnly ? mendFunctionCall(message, source, context) : message;
  const {
    message: whole,
    calls,
    fresh,
  } = isAssistant ? readCalls(adoptCalls(modern, source, context), source, context) : noCalls(message);
  const { message: filled, media } = mendContent(whole, source, context);
  if (filled === undefined) return media.length === 0 ? undefined : { entry: makeUser(media), media: [] };
  const mended = isAssistant ? dropProperties(filled, source, context) : filled;
  source.mended = mended;
  if (isAssistant) return { entry: { ...plain("assistant", source), role: "assistant", calls, fresh }, media };
  if (role === "tool") return { entry: readResult(mendName(mended, source, context), source, context), media };
  return { entry: plain(role === "user" ? "user" : "system", source), media };
}

const noCalls = (message: Message): { message: Message; calls: AssistantEntry["calls"]; fresh: boolean } => ({
  message,
  calls: [],
  fresh: false,
});

/** An unchanged entry. Legacy `function` messages count as system messages, because they have no id. */
function plain<Role extends "system" | "user" | "assistant">(
  role: Role,
  source: Source,
): { role: Role; source: Source; at: number; fresh: boolean; content: undefined; parts: undefined } {
  return { role, source, at: -1, fresh: false, content: undefined, parts: undefined };
}

function readResult(message: Message, source: Source, context: Context): ResultEntry {
  const given = message["tool_call_id"];
  const id = readId(given);
  if (typeof given === "number") reportNumber(given, { source, suffix: ".tool_call_id" }, "missing-result-id", context);
  return newResult({
    source,
    fresh: id !== (given ?? ""),
    id,
    name: typeof message["name"] === "string" ? message["name"] : "",
  });
}

/** If names on results are checked, an invalid name is removed; the id still identifies the call. */
function mendName(message: Message, source: Source, { profile, journal }: Context): Message {
  const { name } = message;
  if (!profile.resultNamesChecked || name === undefined || name === null) return message;
  if (typeof name === "string" && acceptsName(name, profile.names)) return message;
  const finding = {
    rule: "invalid-name" as const,
    message: "The provider refuses the name of the result.",
  };
  journal.note({ source, suffix: ".name" }, finding, { type: "remove", lossless: false });
  const nameless = withoutKeys(message, ["name"]);
  source.mended = nameless;
  return nameless;
}

/** Some servers refuse assistant messages with properties of other servers. */
function dropProperties(message: Message, source: Source, { profile, journal }: Context): Message {
  const said = sayRefusalToo(message, source, { profile, journal });
  const refused = profile.refusedProperties.filter((key) => isRefused(said[key], profile));
  for (const key of refused) {
    journal.note(
      { source, suffix: `.${key}` },
      { rule: "unknown-property", message: `The property ${key} is not allowed on assistant messages.` },
      { type: "remove", lossless: isNothing(said[key]) },
    );
  }
  return refused.length === 0 ? said : withoutKeys(said, refused);
}

/** If the key is refused, the refusal text follows the content. */
function sayRefusalToo(
  message: Message,
  source: Source,
  { profile, journal }: Pick<Context, "profile" | "journal">,
): Message {
  const { refusal, content } = message;
  if (typeof refusal !== "string" || refusal === "" || !profile.refusedProperties.includes("refusal")) return message;
  const finding = {
    rule: "unknown-property" as const,
    message: "The property refusal is not allowed on assistant messages.",
  };
  journal.note({ source, suffix: ".refusal" }, finding, { type: "move", suffix: ".content" });
  const parts: readonly unknown[] | undefined = Array.isArray(content) ? content : undefined;
  const whole = parts === undefined ? joined(content, refusal) : [...parts, { type: "text", text: refusal }];
  return withKey(withoutKeys(message, ["refusal"]), "content", whole);
}

const joined = (content: unknown, refusal: string): string =>
  typeof content === "string" && content !== "" ? `${content}\n\n${refusal}` : refusal;

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** If the role `function` is refused, the message becomes a result, and its call moves to `tool_calls`. */
function mendFunction(message: Message, source: Source, entries: Entry[], context: Context): Message {
  if (!context.profile.functionRoleRefused) return message;
  context.journal.note(
    { source, suffix: ".role" },
    { rule: "unknown-role", message: "This model does not accept messages of role function." },
    { type: "rewrite" },
  );
  const caller = entries.at(-1);
  if (caller?.role === "assistant") mendCaller(caller, context);
  return withKey(message, "role", "tool");
}

function mendCaller(caller: AssistantEntry, context: Context): void {
  const wire = caller.source?.mended;
  if (caller.source === undefined || !isRecord(wire) || caller.calls.length > 0) return;
  const modern = mendFunctionCall(wire, caller.source, context);
  if (modern === wire) return;
  const read = readCalls(modern, caller.source, context);
  caller.source.mended = read.message;
  caller.calls = read.calls;
  caller.fresh = true;
}

/** Converts `function_call` to an entry of `tool_calls`. */
function mendFunctionCall(message: Message, source: Source, { journal }: Context): Message {
  const called = message["function_call"];
  if (!isRecord(called)) return message;
  const tool_calls = [{ type: "function", function: called }];
  journal.note(
    { source, suffix: ".function_call" },
    { rule: "unknown-role", message: "The result of a function_call must be a function message, not a tool message." },
    { type: "rewrite", suffix: ".tool_calls" },
  );
  return { ...withoutKeys(message, ["function_call"]), tool_calls };
}
