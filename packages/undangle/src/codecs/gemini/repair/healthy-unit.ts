import { isRecord } from "#core";
import type { JsonObject, Profile } from "#core";

import { hasKeysOfOthers, partsKey } from "../../keys-of-others.ts";
import { refusedBytes } from "../media.ts";
import type { Model } from "../model.ts";
import { lookAtPart } from "./look-at-part.ts";

export const isModel = (content: unknown): boolean => isRecord(content) && content["role"] === "model";

/** A model turn and the user contents after it, with the findings. */
export interface Unit {
  readonly list: readonly unknown[];
  readonly profile: Profile;
  readonly model: Model;
  start: number;
  end: number;
  /** `open`: the unit is valid, except that some of its calls have no response. */
  state: "healthy" | "open" | "suspect";
  /** The calls of the turn: the first `count` entries. The array is reused, which is faster than a new one. */
  readonly calls: JsonObject[];
  count: number;
  /** Names that were found valid. */
  readonly names: Set<string>;
  /** True if its first call has a thought signature, or there are no calls. */
  isSigned: boolean;
}

/**
 * Finds the end of a unit, and whether it may be invalid. It knows text, media, calls and responses in call order, and
 * leaves anything unusual to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only time.
 */
export function lookAtUnit(unit: Unit): void {
  const { list } = unit;
  unit.count = 0;
  unit.isSigned = true;
  let at = unit.start;
  let isFine = true;
  for (; at < list.length && isModel(list[at]); at++) isFine = isGoodTurn(list[at], unit) && isFine;
  const answers = at;
  for (; at < list.length && !isModel(list[at]); at++);
  unit.end = at;
  unit.state = isFine ? stateOf(unit, answers) : "suspect";
}

/** True for a valid model content. Its calls are added to the unit. */
function isGoodTurn(content: unknown, unit: Unit): boolean {
  const { parts } = content as { readonly parts: unknown }; // isModel has checked that it is an object
  if (!Array.isArray(parts) || parts.length === 0) return false;
  let isFine = !hasKeysOfOthers(content as JsonObject, partsKey); // checked too
  for (let p = 0; p < parts.length; p++) {
    const part: unknown = parts[p];
    const kind = lookAtPart(part);
    if (kind === "said") continue;
    if (kind !== "call" && kind !== "signed-call") {
      isFine = false;
      continue;
    }
    if (unit.count === 0) unit.isSigned = kind === "signed-call";
    const { functionCall, function_call: spelled } = part as JsonObject; // lookAtPart has checked that it is an object
    const call = functionCall ?? spelled;
    if (!isRecord(call) || !isGoodCall(call, unit)) isFine = false;
    else unit.calls[unit.count++] = call;
  }
  return isFine;
}

function isGoodCall({ name, args, id }: JsonObject, { calls, count, names, profile }: Unit): boolean {
  if (typeof name !== "string") return false;
  if (!names.has(name)) {
    const { pattern, first, longest } = profile.names;
    if (name.length > longest || !pattern.test(name) || !first?.test(name)) return false;
    names.add(name);
  }
  if (args !== undefined && args !== null && !isRecord(args)) return false;
  if (count === 64 || !isIdOrNone(id)) return false;
  if (id) for (let c = 0; c < count; c++) if (calls[c]?.["id"] === id) return false;
  return true;
}

/** The state of a unit from the contents after its calls. */
function stateOf(unit: Unit, answers: number): Unit["state"] {
  const { list, start, end, calls, count, model } = unit;
  if (answers === start && start > 0) return "suspect";
  if (count > 0 && (start === 0 || answers - start > 1)) return "suspect";
  let at = answers;
  let answered = 0;
  if (count > 0 && at < end) {
    const found = responsesIn(list[at], model);
    if (found === undefined) return "suspect";
    answered = found.length;
    if (answered > 0) {
      if (!match(calls, count, found)) return "suspect";
      at++;
    }
  }
  for (; at < end; at++) if (!isSpoken(list[at])) return "suspect";
  return answered === count ? "healthy" : "open";
}

const none: readonly JsonObject[] = [];

/** The responses of a content with only responses. Empty if there are none, undefined if uncertain. */
export function responsesIn(content: unknown, model: Model): readonly JsonObject[] | undefined {
  if (!isRecord(content) || hasKeysOfOthers(content, partsKey)) return undefined;
  const { role, parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) return undefined;
  if (lookAtPart(parts[0]) !== "response") return none;
  if (role !== "user" && (model.endsWithUser || (role !== "function" && role !== "tool"))) return undefined;
  const found: unknown[] = parts.slice(); // preallocated
  for (let p = 0; p < parts.length; p++) {
    const part: unknown = parts[p];
    if (lookAtPart(part) !== "response") return undefined;
    const { functionResponse, function_response: spelled } = part as JsonObject; // lookAtPart has checked that it is an object
    const inside = functionResponse ?? spelled;
    if (!isRecord(inside) || !isRecord(inside["response"]) || !isIdOrNone(inside["id"])) return undefined;
    if (inside["parts"] !== undefined && !isShown(inside["parts"], model)) return undefined;
    found[p] = inside;
  }
  return found as JsonObject[]; // each is known to be an object
}

/** True for valid media inside a response. */
const isShown = (parts: unknown, { refusesResultMedia }: Model): boolean =>
  !refusesResultMedia && Array.isArray(parts) && parts.every((part) => refusedBytes(part) === undefined);

/** True if each response belongs to a distinct call, in call order, and no id needs a change. */
function match(calls: readonly JsonObject[], count: number, responses: readonly JsonObject[]): boolean {
  let withId = 0;
  for (let c = 0; c < count; c++) if (calls[c]?.["id"]) withId++;
  const answersWithId = responses.reduce((sum, { id }) => (id ? sum + 1 : sum), 0);
  const onBothSides = withId > 0 && answersWithId > 0;
  // With notices, ids must be on both sides or on neither.
  if (responses.length !== count && !onBothSides && withId + answersWithId > 0) return false;
  return answerInOrder({ calls, count, responses, byId: onBothSides });
}

/** The first `count` calls and their responses, and whether ids pair them. */
interface Pairing {
  readonly calls: readonly JsonObject[];
  readonly count: number;
  readonly responses: readonly JsonObject[];
  readonly byId: boolean;
}

/** True if the responses are in call order. Adds the call index of each to `found`. */
export function answerInOrder({ calls, count, responses, byId }: Pairing, found?: number[]): boolean {
  const isWhole = count === responses.length;
  let next = 0;
  for (let r = 0; r < responses.length; r++) {
    while (next < count && !answers(responses[r] ?? {}, calls[next] ?? {}, byId)) next = isWhole ? count : next + 1;
    if (next === count) return false;
    found?.push(next);
    next++;
  }
  return true;
}

const answers = (response: JsonObject, call: JsonObject, byId: boolean): boolean =>
  response["name"] === call["name"] && (!byId || (response["id"] || "") === (call["id"] || ""));

/** A content with only user text or media. */
function isSpoken(content: unknown): boolean {
  if (!isRecord(content) || content["role"] !== "user" || hasKeysOfOthers(content, partsKey)) return false;
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) return false;
  for (let p = 0; p < parts.length; p++) if (lookAtPart(parts[p]) !== "said") return false;
  return true;
}

/** A non-blank text id, or none: the API treats null and "" as none. */
function isIdOrNone(id: unknown): boolean {
  return id === undefined || id === null || id === "" || (typeof id === "string" && id.charCodeAt(0) > 0x20);
}
