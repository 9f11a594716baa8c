import { acceptsName, isRecord } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { openEnvelope } from "../envelope.ts";
import type { Fields } from "../envelope.ts";
import { isStandard } from "./places.ts";
import type { LangchainProfile } from "../profile.ts";

/**
 * Finds turns that may be invalid, with one pass over the messages. It knows only the common shapes and leaves anything
 * unusual to the rules.
 */
export function surveyLangchain({ list }: Request, profile: LangchainProfile): readonly Range[] {
  const isLocal = profile.ids.scope === "turn";
  const suspects: Range[] = [];
  const look: Look = { list, profile, names: new Set(), ids: isLocal ? undefined : new Set(), state: "healthy" };
  for (let i = 0; i < list.length;) {
    const end = unitEnd(i, look);
    if (look.state === "whole" || (look.state !== "healthy" && !isLocal)) return wholeList(list);
    if (look.state !== "healthy") suspects.push({ start: i, end, isOpen: look.state === "open" });
    i = end;
  }
  return list.length === 0 ? wholeList(list) : suspects;
}

/** The state of the survey. */
interface Look {
  readonly list: readonly unknown[];
  readonly profile: LangchainProfile;
  /** Names that were found valid. */
  readonly names: Set<string>;
  /** The ids of all calls, if they must be unique in a request. */
  readonly ids: Set<string> | undefined;
  /** The state of the last unit. `whole` requires the whole list. */
  state: "healthy" | "open" | "suspect" | "whole";
}

/** The index after the message, or after the turn that it starts. Records what was found. */
function unitEnd(at: number, look: Look): number {
  const envelope = openEnvelope(look.list[at]);
  look.state = "healthy";
  if (envelope === undefined) return at + 1;
  const { kind, fields } = envelope;
  if (kind === "ai") return turnEnd(fields, at, look);
  if (kind === "tool") look.state = "suspect";
  if (kind === "human" && holdsResult(fields["content"])) look.state = "whole";
  return at + 1;
}

/** A human message with a result may be anywhere after its call. */
const holdsResult = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isRecord(block) && block["type"] === "tool_result");

function turnEnd(fields: Fields, at: number, look: Look): number {
  const { list } = look;
  const calls = fields["tool_calls"];
  if (isEmpty(calls) && isSilent(fields)) return at + 1;
  const ids: string[] = [];
  const results: string[] = [];
  let end = at + 1;
  for (; end < list.length; end++) {
    const result = openEnvelope(list[end]);
    if (result?.kind !== "tool") break;
    results.push(result.fields["tool_call_id"] as string); // only compared
  }
  look.state = "suspect";
  if (
    !Array.isArray(calls) ||
    calls.length === 0 ||
    !areGoodCalls(calls, ids, look) ||
    !isEmpty(fields["invalid_tool_calls"])
  )
    return end;
  if (
    !areShown(fields, ids) ||
    !areItems(fields["response_metadata"], ids) ||
    results.length > ids.length ||
    !areDistinct(results) ||
    !results.every((id) => ids.includes(id))
  )
    return end;
  if (results.length === ids.length) look.state = "healthy";
  else if (!calls.some(isWrapped)) look.state = "open"; // a wrapped value was invalid, which the rules report
  return end;
}

const isWrapped = (call: unknown): boolean => isRecord(call) && isRecord(call["args"]) && "_raw" in call["args"];

/** False for anything but a missing or an empty list: calls may be in an object instead. */
const isEmpty = (list: unknown): boolean =>
  list === undefined || list === null || (Array.isArray(list) && list.length === 0);

/** True if a message without `tool_calls` has no calls elsewhere. */
function isSilent(fields: Fields): boolean {
  const sent = fields["additional_kwargs"];
  const content = fields["content"];
  return (
    isEmpty(fields["invalid_tool_calls"]) &&
    isEmpty(fields["tool_call_chunks"]) &&
    (!isRecord(sent) || isEmpty(sent["tool_calls"])) &&
    areItems(fields["response_metadata"], []) &&
    (!Array.isArray(content) || !content.some(isCallBlock))
  );
}

const callTypes: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_call",
  "invalid_tool_call",
  "function_call",
  "custom_tool_call",
]);

const isCallBlock = (block: unknown): block is Fields =>
  isRecord(block) && (callTypes.has(block["type"]) || "functionCall" in block);

/** True if every call block matches an entry of `tool_calls`, each once. */
function areShown(fields: Fields, ids: readonly string[]): boolean {
  const { content } = fields;
  if (!Array.isArray(content)) return true;
  const shown: string[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isCallBlock(block)) continue;
    const { type, id, args, input } = block;
    const isUsual =
      (type === "tool_use" && isRecord(input) && !isStandard(fields)) || (type === "tool_call" && isRecord(args));
    if (!isUsual || typeof id !== "string" || !ids.includes(id) || shown.length === ids.length) return false;
    shown.push(id);
  }
  return areDistinct(shown) && (shown.length === ids.length || !isStandard(fields));
}

/** The same for items of the Responses API. */
function areItems(metadata: unknown, ids: readonly string[]): boolean {
  const items = isRecord(metadata) ? metadata["output"] : undefined;
  if (!Array.isArray(items) || items.length === 0) return true;
  const shown: string[] = [];
  for (const item of items as readonly unknown[]) {
    if (!isCallBlock(item)) continue;
    const { call_id: id } = item;
    if (typeof id !== "string" || !ids.includes(id) || shown.length === ids.length) return false;
    shown.push(id);
  }
  return shown.length === ids.length && areDistinct(shown);
}

const areDistinct = (ids: readonly string[]): boolean => {
  for (let i = 1; i < ids.length; i++) if (ids.indexOf(ids[i] ?? "") < i) return false;
  return true;
};

function areGoodCalls(calls: readonly unknown[], ids: string[], look: Look): boolean {
  if (calls.length > 64) return false;
  for (let c = 0; c < calls.length; c++) {
    const call = calls[c];
    if (!isRecord(call) || !isRecord(call["args"]) || "function" in call) return false;
    const { id, name } = call;
    if (typeof id !== "string" || typeof name !== "string" || !isGoodId(id, look) || !isGoodName(name, look))
      return false;
    ids.push(id);
  }
  return areDistinct(ids);
}

function isGoodId(id: string, { profile, ids }: Look): boolean {
  const { pattern, longest } = profile.ids;
  if (id === "" || id.length > longest || pattern?.test(id) === false || ids?.has(id) === true) return false;
  ids?.add(id);
  return true;
}

function isGoodName(name: string, { profile, names }: Look): boolean {
  if (names.has(name)) return true;
  if (!acceptsName(name, profile.names)) return false;
  names.add(name);
  return true;
}
