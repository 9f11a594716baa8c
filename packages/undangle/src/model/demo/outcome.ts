import type { Result } from "#codecs";
import { causes, isRecord, languages, renderNotice } from "#core";
import type { Cause } from "#core";

/** What became of a call, as its result tells. */
export type Outcome =
  | { readonly type: "succeeded"; readonly text: string; readonly media: number }
  | { readonly type: "rejected"; readonly reason: string | undefined }
  | { readonly type: "notice"; readonly cause: Exclude<Cause, "rejected"> }
  | { readonly type: "failed"; readonly text: string };

/** Reads the result of a call. */
export function outcomeOf(result: Result, name: string): Outcome {
  const text = textOf(result);
  if (result.rejection !== undefined) return { type: "rejected", reason: result.rejection.reason };
  const refused = result.isError ? rejectionIn(text) : undefined; // a tool may say the same words
  if (refused !== undefined) return refused;
  const cause = causeIn(text, { id: result.id ?? "", name });
  if (cause !== undefined) return { type: "notice", cause };
  if (result.isError) return { type: "failed", text };
  return { type: "succeeded", text, media: result.parts.filter(({ type }) => type === "media").length };
}

function textOf({ parts }: Result): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "value" ? [JSON.stringify(part.value)] : []))
    .join("\n")
    .trim();
}

/** The words by which the model is told that a person refused. */
function rejectionIn(text: string): Outcome | undefined {
  if (!text.startsWith("{") || !text.includes("userRejected")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value["userRejected"] !== true) return undefined;
    const { reason } = value;
    return { type: "rejected", reason: typeof reason === "string" && reason.trim() !== "" ? reason : undefined };
  } catch {
    return undefined; // it only looks like it
  }
}

const others = causes.filter((cause) => cause !== "rejected");

function causeIn(
  text: string,
  call: { readonly id: string; readonly name: string },
): (typeof others)[number] | undefined {
  return others.find((cause) => languages.some((language) => renderNotice(call, cause, { language }) === text));
}
