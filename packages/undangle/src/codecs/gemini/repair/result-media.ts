import { makeUser, textContent } from "#core";
import type { Content, Dialect, Entry } from "#core";

import type { Context } from "./context.ts";
import { refusedBytes } from "../media.ts";
import { contentOfResult, showsMedia } from "./result-content.ts";

/**
 * Makes media inside responses acceptable: unsupported types become placeholders, and before Gemini 3 the rest moves to
 * a separate turn after the responses.
 */
export function mendResultMedia(entries: readonly Entry[], dialect: Dialect, context: Context): readonly Entry[] {
  if (context.policy.keepsMedia) return entries;
  for (const entry of entries) {
    if (entry.role === "result" && showsMedia(entry)) {
      mendTypes(entry, contentOfResult(entry), dialect.from(entry), context);
    }
    // A quoted result is in an inserted user turn.
    if (entry.role === "user" && entry.content !== undefined) mendTypes(entry, entry.content, undefined, context);
  }
  return context.model.refusesResultMedia ? placeBehind(entries, dialect, context) : entries;
}

function mendTypes(entry: Entry, content: readonly Content[], from: string | undefined, { journal }: Context): void {
  const first = content.findIndex(({ type }) => type === "media");
  if (first < 0) return;
  const mended = content.map((part, index): Content => {
    const refused = part.type === "media" ? refusedBytes(part.wire) : undefined;
    if (refused === undefined) return part;
    const { part: wire, why, lossless } = refused;
    const finding = { rule: "media-refused" as const, from: from && `${from}.parts[${index - first}]`, message: why };
    journal.report(finding, { type: "rewrite", entry, lossless });
    return typeof wire["text"] === "string" ? textContent(wire["text"]) : { type: "media", wire };
  });
  if (mended.every((part, index) => part === content[index])) return;
  entry.content = mended;
  entry.fresh = true;
}

function placeBehind(entries: readonly Entry[], dialect: Dialect, { journal }: Context): readonly Entry[] {
  const placed: Entry[] = [];
  let shown: Content[] = [];
  let turn = makeUser(shown);
  let open: number | undefined; // the start of a turn with calls that stay open, which remains at the end of the history
  const flush = (): void => {
    if (shown.length > 0) placed.splice(open ?? placed.length, 0, turn);
    shown = [];
    turn = makeUser(shown);
  };
  for (const entry of entries) {
    if (entry.role !== "result") flush();
    if (entry.role === "assistant" && entry.calls.some((call) => call.result === undefined)) open = turnStart(placed);
    placed.push(entry);
    if (entry.role !== "result" || !showsMedia(entry)) continue;
    const content = contentOfResult(entry);
    const media = content.filter(({ type }) => type === "media");
    const from = dialect.from(entry);
    const message = "This model does not accept media inside a function response.";
    const finding = { rule: "media-refused" as const, from: from && `${from}.parts`, message };
    journal.report(finding, { type: "move", entry: turn });
    for (const each of media) shown.push(each);
    entry.content = content.filter(({ type }) => type === "text");
    entry.fresh = true;
  }
  flush();
  return placed;
}

/** The start of the model turn that the next entry continues: adjacent model contents are one turn. */
const turnStart = (placed: readonly Entry[]): number =>
  placed.findLastIndex(({ role }) => role !== "assistant" && role !== "system") + 1;
