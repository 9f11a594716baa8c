import { damageOf, isRecord, unansweredFinding } from "#core";
import type { Finding, JsonObject } from "#core";

import { wordsIn } from "../../unwrap.ts";
import { mendInput } from "./input.ts";
import { textOf } from "./message.ts";
import { at } from "./ui-context.ts";
import type { Standing, UIContext } from "./ui-context.ts";
import { holdsResult, isFinished, isLive, isPending, isToolPart, toolNameOf, uiParts } from "./ui-steps.ts";

/** The part of an incomplete call with a notice as its result. */
export function answerPart(part: JsonObject, { source, place }: Place, context: UIContext): JsonObject {
  const { page, policy, journal } = context;
  const spot = at(source, place);
  if (holdsResult(part)) return tellState(part, { source, place }, context);
  const finding = findingOf(part, source.index, place);
  if (policy.danglingAtEnd === "leave" && page.following(source.index, place) === undefined) {
    journal.report(finding, "left");
    return part;
  }
  if (!policy.answersPending && isPending(part, page, source.index, place))
    return mendPartInput(part, { source, place }, context);
  const { after, error } = answered(part, source.index, place, context);
  journal.note(spot, finding, { type: "rewrite", ...(error === undefined ? {} : { error }) });
  return after;
}

/** The part with the state that matches its result. */
function tellState(part: JsonObject, { source, place }: Place, context: UIContext): JsonObject {
  const hasOutput = part["output"] !== undefined;
  const message = `The call ${toolNameOf(part)} has a result, but its state does not match.`;
  const finding = { rule: "result-content" as const, message, callId: textOf(part["toolCallId"]) };
  context.journal.note(at(source, place, ".state"), finding, { type: "rewrite" });
  const told = hasOutput
    ? { ...part, state: "output-available" }
    : { ...part, state: "output-error", errorText: wordsIn(part["errorText"]) };
  return mendPartInput(told, { source, place }, context);
}

type Place = Pick<Standing, "source" | "place">;

/** The part with an input that the SDK accepts. */
export function mendPartInput(part: JsonObject, { source, place }: Place, { journal }: UIContext): JsonObject {
  const given = part["input"] ?? (part["state"] === "output-error" ? part["rawInput"] : undefined);
  const mended = mendInput(given);
  if (mended === undefined) return part;
  const finding = { rule: "arguments-type" as const, message: mended.message, callId: textOf(part["toolCallId"]) };
  journal.note(at(source, place, ".input"), finding, { type: "rewrite" });
  return { ...part, input: mended.value };
}

/** Adds a message and the results for its open calls to a list, as the rules would. The message is otherwise valid. */
export function answerMessage(index: number, written: unknown[], context: UIContext): void {
  const { page, journal, policy } = context;
  const message = page.list[index] as JsonObject; // checked by the survey
  const to = `messages[${written.length}]`;
  const parts = uiParts(message)?.map((part, place) => {
    if (!isToolPart(part) || isFinished(part) || isLive(part, page, index, place)) return part;
    if (!policy.answersPending && isPending(part, page, index, place)) return part;
    const { after } = answered(part, index, place, context);
    journal.answered(toolNameOf(part), {
      rule: "unanswered-call",
      type: "rewrite",
      lossless: true,
      reconstructed: false,
      from: `messages[${index}].parts[${place}]`,
      to: `${to}.parts[${place}]`,
      before: part,
      after,
      callId: textOf(part["toolCallId"]),
    });
    return after;
  });
  written.push({ ...message, parts });
}

const findingOf = (part: JsonObject, index: number, place: number): Finding =>
  unansweredFinding({ id: textOf(part["toolCallId"]), name: toolNameOf(part) }, `messages[${index}].parts[${place}]`);

/** The part in its final state, and the error of the caller's generator. */
function answered(
  part: JsonObject,
  index: number,
  place: number,
  { page, policy }: UIContext,
): { readonly after: JsonObject; readonly error?: string | undefined } {
  const given = part["input"] ?? part["rawInput"];
  const mended = mendInput(given);
  const input = mended === undefined ? given : mended.value;
  const { approval } = part;
  if (isRecord(approval) && approval["approved"] === false) {
    return { after: { ...bare(part), state: "output-denied", input, approval } };
  }
  const damage = mended?.raw === undefined ? undefined : damageOf(mended.raw);
  const next = page.following(index, place) === "user" ? "superseded" : "interrupted";
  const { text, error } = policy.notice({
    id: textOf(part["toolCallId"]),
    name: toolNameOf(part),
    arguments: mended?.raw ?? input,
    cause: part["state"] === "input-streaming" ? "truncated" : (damage ?? next),
    position: index,
    language: policy.language,
  });
  const granted = isRecord(approval) && approval["approved"] === true ? { approval } : {};
  return { after: { ...bare(part), state: "output-error", input, errorText: text, ...granted }, error };
}

/** The part without fields of its earlier states. */
function bare(part: JsonObject): JsonObject {
  const { approval: _approval, rawInput: _raw, inputEncoding: _encoding, output: _output, ...rest } = part;
  return rest;
}
