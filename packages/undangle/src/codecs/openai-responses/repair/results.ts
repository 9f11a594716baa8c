import { isRecord, textContent, wordOf } from "#core";
import type { Content, ResultEntry, Source } from "#core";

import { newResult } from "../../new-entries.ts";
import { readId } from "./calls.ts";
import { complain, imageOf, textOf } from "./content.ts";
import { refusedImage } from "./media.ts";
import type { Context } from "./context.ts";
import type { Item } from "./item.ts";

/**
 * Reads an output item, and converts the output to a form that the API accepts. `key` is the key of the output in the
 * input.
 */
export function readResult(given: Item, source: Source, context: Context, key = "output"): ResultEntry {
  const item = mendOutput(given, source, context, key);
  source.mended = item;
  const id = readId(item, source, "missing-result-id", context);
  return resultOf(item, source, { id, fresh: id !== (item["call_id"] ?? ""), place: -1 });
}

/** The entry of an output item. */
function resultOf(
  wire: Item,
  source: Source,
  { id, fresh, place }: { readonly id: string; readonly fresh: boolean; readonly place: number },
): ResultEntry {
  return newResult({
    source,
    fresh,
    id,
    name: typeof wire["name"] === "string" ? wire["name"] : "",
    place,
    wire,
  });
}

/** The content of a result in movable form. */
export function contentOfOutput({ content, wire }: ResultEntry): readonly Content[] {
  if (content !== undefined) return content;
  const output = isRecord(wire) ? wire["output"] : undefined;
  if (typeof output === "string") return output === "" ? [] : [textContent(output)];
  if (!Array.isArray(output)) return [];
  return output.map((part: unknown): Content => {
    if (!isRecord(part) || part["type"] !== "input_text" || typeof part["text"] !== "string")
      return { type: "media", wire: part };
    return { type: "text", text: part["text"], wire: part };
  });
}

const allowed = new Set(["input_text", "input_image", "input_file"]);

/** The item with an output that is text or a list of parts. */
function mendOutput(item: Item, source: Source, { journal, profile, policy }: Context, key: string): Item {
  const { output } = item;
  const path = `input[${source.index}].${key}`;
  if (typeof output === "string") return item;
  const isParts = Array.isArray(output) && output.every((part) => isRecord(part) && typeof part["type"] === "string");
  if (!isParts) {
    const message = "The output is neither text nor a list of parts.";
    const change = { type: "rewrite" as const, source, suffix: ".output" };
    journal.report({ rule: "result-content", from: path, message }, change);
    return { ...item, output: outputText(output) };
  }
  const mended = output.map((part: Item, i) => {
    const kept = outputPart(part);
    const refused = policy.keepsMedia ? undefined : refusedImage(kept, profile);
    if (refused !== undefined) {
      const change = { type: "rewrite" as const, source, suffix: `.output[${i}]`, lossless: false };
      journal.report({ rule: "media-refused", from: `${path}[${i}]`, message: refused.why }, change);
      return { type: "input_text", text: refused.text };
    }
    if (kept === part) return part;
    const message = complain(part, kept, "an output");
    const change = { type: "rewrite" as const, source, suffix: `.output[${i}]` };
    journal.report({ rule: "result-content", from: `${path}[${i}]`, message }, change);
    return kept;
  });
  return mended.every((part, i) => part === output[i]) ? item : { ...item, output: mended };
}

/** A part in the form of an output part. */
export function outputPart(part: Item): unknown {
  if (allowed.has(wordOf(part["type"])) && (part["type"] !== "input_text" || typeof part["text"] === "string"))
    return part;
  return imageOf(part) ?? { type: "input_text", text: textOf(part) };
}

/** Any tool output as text. */
export function outputText(output: unknown): string {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  if (Array.isArray(output) && output.length > 0 && output.every((part) => typeof part === "string"))
    return output.join("\n");
  return JSON.stringify(output) ?? "";
}
