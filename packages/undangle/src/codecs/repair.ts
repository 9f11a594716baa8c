import { UndangleError } from "#core";
import type { Edit, Policy, Problem, Told, UnansweredCall } from "#core";

import type { Format } from "./codec.ts";
import { guard, locate } from "./locate.ts";
import type { Located } from "./locate.ts";
import { mend } from "./mend.ts";
import { validateCheckOptions, validateRepairOptions, defaultNotice, defaultPolicy, policyOf } from "./options.ts";
import type { CheckOptions, RepairOptions } from "./options.ts";

/** A repaired history. The same reference as the input if nothing changed. */
export interface Repaired<T> {
  readonly output: T;
  /** One edit per change, in the order of detection. */
  readonly edits: readonly Edit[];
  /** The remaining problems: those that cannot be repaired, and those that the options keep. */
  readonly problems: readonly Problem[];
  readonly format: Format;
}

/** Lists every way in which the provider would refuse the tool-call structure of a body or a bare array. */
export function check(input: unknown, options: CheckOptions = {}): Problem[] {
  validateCheckOptions(options);
  const { codec, request } = locate(input, options);
  return [...guard(() => mend(codec, request, defaultPolicy).problems())];
}

/** Repairs a history for its provider without loss, and reports the edits. */
export function repair<T>(input: T, options: RepairOptions = {}): Repaired<T> {
  validateRepairOptions(options);
  return repairLocated(input, locate(input, options), policyOf(options, ownNotice(options)));
}

/**
 * The same without changes to media: for a history that is converted to another format, or sent to a server of which
 * only the model is known.
 */
export function repairKeepingMedia<T>(input: T, options: RepairOptions = {}): Repaired<T> {
  validateRepairOptions(options);
  const policy = policyOf(options, ownNotice(options));
  return repairLocated(input, locate(input, options), { ...policy, keepsMedia: true });
}

/** Repairs with a notice generator that returns promises. */
export async function repairAsync<T>(
  input: T,
  options: RepairOptions<string | Promise<string>> = {},
): Promise<Repaired<T>> {
  validateRepairOptions(options);
  const located = locate(input, options);
  const { notice } = options;
  if (notice === undefined) return repairLocated(input, located, policyOf(options));
  // The first pass collects the necessary notices, and the second writes them.
  const wanted: Promise<Told>[] = [];
  const ask = (call: UnansweredCall): Told => {
    wanted.push(tell(notice, call, defaultNotice(options, call)));
    return { text: "" };
  };
  repairLocated(input, located, policyOf(options, ask));
  const told = await Promise.all(wanted);
  let next = 0;
  return repairLocated(
    input,
    located,
    policyOf(options, (call) => told[next++] ?? { text: defaultNotice(options, call) }),
  );
}

function repairLocated<T>(input: T, { codec, request, wrap }: Located, policy: Policy): Repaired<T> {
  const { format } = codec;
  return guard(() => {
    const mended = mend(codec, request, policy);
    if (mended.edits.length === 0) return { output: input, edits: [], problems: mended.problems(), format };
    const body = request.body === undefined ? undefined : { ...request.body, ...mended.body };
    const left = mended.isHealthy ? [] : mend(codec, { ...request, list: mended.list, body }, policy).problems();
    const output = wrap(mended.list, mended.body) as T; // the same shape as the input: an array, or a body with the same keys
    return { output, edits: mended.edits, problems: left, format };
  });
}

/** The caller's text; the built-in text and the error if the generator throws. */
function ownNotice(options: RepairOptions): ((call: UnansweredCall) => Told) | undefined {
  const { notice } = options;
  if (notice === undefined) return undefined;
  return (call) => {
    let text: unknown;
    try {
      text = notice(call);
    } catch (error) {
      return { text: defaultNotice(options, call), error: describe(error) };
    }
    if (text instanceof Promise) {
      text.catch(() => undefined); // not awaited, because the caller gets the error below
      throw new UndangleError("notice/promise", { callId: call.id });
    }
    return checkText(text, defaultNotice(options, call));
  };
}

async function tell(
  notice: (call: UnansweredCall) => string | Promise<string>,
  call: UnansweredCall,
  fallback: string,
): Promise<Told> {
  try {
    return checkText(await notice(call), fallback);
  } catch (error) {
    return { text: fallback, error: describe(error) };
  }
}

function checkText(text: unknown, fallback: string): Told {
  return typeof text === "string" ? { text } : { text: fallback, error: `it returned ${typeof text}, not a string` };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
