import { isRecord, staysText, wrapRaw } from "#core";
import type { JsonObject, Source, Spot } from "#core";

import { unwrapOne, wordsIn } from "../../unwrap.ts";
import { partAt } from "./context.ts";
import type { Context } from "./context.ts";
import { refusedBytes } from "../media.ts";
import { callKey, dataIn, hasUnknownKey, insideOf, isCall, isResponse, isSigned, responseKey } from "../part.ts";

/** The part in valid form: none if it is empty, several if it has several data fields. */
export function mendPart(part: unknown, place: number, source: Source, context: Context): readonly unknown[] {
  const { journal } = context;
  const at = partAt(source, place, context);
  if (!isRecord(part)) {
    const text = wordsIn(part);
    const finding = { rule: "unknown-block" as const, message: "The part is not an object." };
    const isNothing = text === "";
    journal.note(at, finding, { type: isNothing ? "remove" : "rewrite" });
    return isNothing ? [] : [{ text }];
  }
  const data = dataIn(part);
  if (data.length === 1) return mendData(part, place, source, context);
  if (data.length > 1) {
    const finding = {
      rule: "empty-text" as const,
      message: `The part sets ${data.join(" and ")}; only one is allowed.`,
    };
    journal.note(at, finding, { type: "rewrite" });
    // Further problems of the new parts are reported for the original part.
    const told: Context = {
      ...context,
      journal: { ...journal, note: (_, found, change) => journal.note(at, found, change) },
    };
    return divide(part, data).flatMap((one) => mendData(one, place, source, told));
  }
  if (hasUnknownKey(part)) return [part]; // it may be data of a newer API
  const finding = { rule: "empty-text" as const, message: "The part sets no data field." };
  if (isSigned(part)) {
    journal.note(at, finding, { type: "rewrite" });
    return [{ ...part, text: "" }];
  }
  journal.note(at, finding, { type: "remove" });
  return [];
}

/** One part per data field. A signature stays with the call; other keys stay with the first part. */
function divide(part: JsonObject, data: readonly string[]): readonly JsonObject[] {
  const owner = data.find((key) => key === "functionCall" || key === "function_call") ?? data[0];
  return data.map((key) => {
    const others = Object.entries(part).filter(([name]) => name === key || (key === owner && !data.includes(name)));
    return Object.fromEntries(others);
  });
}

function mendData(part: JsonObject, place: number, source: Source, context: Context): readonly unknown[] {
  if (isCall(part)) {
    const at = {
      key: callKey(part, "camel"),
      keep: (text: string): JsonObject => ({ args: wrapRaw(text) }),
      place,
      source,
    };
    return [mendCall(mendInside(part, at, context), place, source, context)];
  }
  if (isResponse(part)) {
    const keep = (text: string): JsonObject => ({ response: { result: text } });
    const at = { key: responseKey(part, "camel"), keep, place, source };
    return [mendResponse(mendInside(part, at, context), place, source, context)];
  }
  if (!("text" in part)) return [mendBytes(part, place, source, context)];
  if (part["text"] !== "" || isSigned(part)) return [part];
  const finding = { rule: "empty-text" as const, message: "The text of the part is empty." };
  context.journal.note(partAt(source, place, context), finding, { type: "remove" });
  return [];
}

interface Inside {
  readonly key: string;
  /** Wraps text that is not an object. */
  readonly keep: (text: string) => JsonObject;
  readonly place: number;
  readonly source: Source;
}

/**
 * Ensures an object under the key of a part. JSON text and a list with one object are unwrapped, and anything else is
 * kept as text.
 */
function mendInside(part: JsonObject, { key, keep, place, source }: Inside, context: Context): JsonObject {
  const inside = part[key];
  if (isRecord(inside)) return part;
  const rule = isCall(part) ? ("arguments-type" as const) : ("result-content" as const);
  const finding = { rule, message: `The value of ${key} is not an object.` };
  context.journal.note(partAt(source, place, context, `.${key}`), finding, { type: "rewrite" });
  const words = wordsIn(inside);
  return { ...part, [key]: unwrapOne(inside) ?? (words === "" ? {} : keep(words)) };
}

function mendBytes(part: JsonObject, place: number, source: Source, context: Context): JsonObject {
  const refused = context.policy.keepsMedia ? undefined : refusedBytes(part);
  if (refused === undefined) return part;
  const finding = { rule: "media-refused" as const, message: refused.why };
  context.journal.note(partAt(source, place, context), finding, { type: "rewrite", lossless: refused.lossless });
  return refused.part;
}

/** Ensures that the arguments of a call are an object. Text is parsed, or wrapped if it is not an object. */
function mendCall(part: JsonObject, place: number, source: Source, context: Context): JsonObject {
  const key = callKey(part, "camel");
  const call = withTextId(part, key, partAt(source, place, context, `.${key}.id`), context);
  const inside = insideOf(call, key);
  const { args } = inside;
  if (args === undefined || args === null || isRecord(args)) return call;
  const isBlank = typeof args === "string" && args.trim() === "";
  const text = typeof args === "string" ? args : JSON.stringify(args);
  const isObject = !isBlank && !staysText(text);
  const after: unknown = isBlank ? {} : isObject ? JSON.parse(text) : wrapRaw(text);
  const got = Array.isArray(args) ? "an array" : `of type ${typeof args}`;
  context.journal.note(
    partAt(source, place, context, `.${key}.args`),
    { rule: "arguments-type", message: `The arguments are ${got}, not an object.` },
    { type: "rewrite" },
  );
  return { ...call, [key]: { ...inside, args: after } };
}

/** Ensures that the output of a response is an object. */
function mendResponse(part: JsonObject, place: number, source: Source, context: Context): JsonObject {
  const key = responseKey(part, "camel");
  const named = withTextId(part, key, partAt(source, place, context, `.${key}.id`), context);
  const result = withPlainMedia(named, key, partAt(source, place, context, `.${key}.parts`), context);
  const inside = insideOf(result, key);
  const { response } = inside;
  if (isRecord(response) || (response === undefined && Array.isArray(inside["parts"]))) return result;
  context.journal.note(
    partAt(source, place, context, response === undefined ? `.${key}` : `.${key}.response`),
    { rule: "result-content", message: "The response is not an object." },
    { type: "rewrite" },
  );
  return { ...result, [key]: { ...inside, response: response === undefined ? {} : { result: response } } };
}

/** Flattens nested lists of media in the parts of a response. */
function withPlainMedia(part: JsonObject, key: string, at: Spot, { journal }: Context): JsonObject {
  const inside = insideOf(part, key);
  const { parts } = inside;
  if (!Array.isArray(parts) || !parts.some((each) => Array.isArray(each))) return part;
  const finding = { rule: "result-content" as const, message: "The parts of the response are lists, not objects." };
  journal.note(at, finding, { type: "rewrite" });
  return { ...part, [key]: { ...inside, parts: parts.flat(4) as readonly unknown[] } };
}

/** Ids must be text. A number is converted on both sides. */
function withTextId(part: JsonObject, key: string, at: Spot, { journal }: Context): JsonObject {
  const inside = insideOf(part, key);
  const { id } = inside;
  if (typeof id !== "number") return part;
  const finding = { rule: "invalid-call-id" as const, message: `The id ${id} is a number, not text.` };
  journal.note(at, finding, { type: "rewrite" });
  return { ...part, [key]: { ...inside, id: String(id) } };
}
