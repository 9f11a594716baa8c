import { formats } from "#codecs";
import type { Media } from "#codecs";
import { causes, isRecord } from "#core";
import type { Owner } from "#core";

import { decisionTypes } from "../approvals/rules.ts";
import { settledStates } from "../ledger/call.ts";
import type { AllowanceMatch, AllowanceScope, OpenState } from "../ledger/call.ts";
import type { TurnEntry } from "../ledger/entry.ts";

/** A mismatch: its path, the value, and the allowed values. */
export interface Misfit {
  readonly at: string;
  readonly value: unknown;
  readonly allowed: string;
}

/** Validates an external value. Undefined if it is valid. */
export type Shape = (value: unknown) => Misfit | undefined;

/** An object with these fields, and possibly others. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return misfit(value, "an object");
    for (const [name, shape] of entries) {
      const wrong = shape(value[name]);
      if (wrong !== undefined) return { ...wrong, at: `.${name}${wrong.at}` };
    }
    return undefined;
  };
}

/** An object whose `type` determines its fields. */
export function variant(kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>): Shape {
  const shapes = new Map<unknown, Shape>(Object.entries(kinds).map(([type, fields]) => [type, object(fields)]));
  const known = object({ type: oneOf(Object.keys(kinds)) });
  return (value) => known(value) ?? shapes.get(isRecord(value) ? value["type"] : undefined)?.(value);
}

/** A list whose items all have this shape. */
export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return misfit(value, "a list");
    for (const [i, each] of value.entries()) {
      const wrong = shape(each);
      if (wrong !== undefined) return { ...wrong, at: `[${i}]${wrong.at}` };
    }
    return undefined;
  };
}

/** Undefined, or a value of this shape. */
export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? undefined : shape(value);

/** One of these values. */
export const oneOf = (allowed: readonly unknown[]): Shape =>
  fitting((value) => allowed.includes(value), allowed.map(String).join(", "));

/** A value that passes a test. `allowed` describes it in errors. */
export function fitting(fits: (value: unknown) => boolean, allowed: string): Shape {
  return (value) => (fits(value) ? undefined : misfit(value, allowed));
}

export const text = fitting((value) => typeof value === "string", "a string");
export const number = fitting(Number.isFinite, "a number");
export const count = fitting(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  "a whole number of at least 0",
);
export const flag = fitting((value) => typeof value === "boolean", "true, false");
export const anything: Shape = () => undefined;

const misfit = (value: unknown, allowed: string): Misfit => ({ at: "", value, allowed });

/** All names of a union. A missing name does not compile. */
const every = <Name extends string>(names: Readonly<Record<Name, true>>): readonly string[] => Object.keys(names);

const owners = every<Owner>({ openai: true, anthropic: true, gemini: true, openrouter: true });

const seal = object({
  owner: oneOf(owners),
  value: text,
  id: optional(text),
  server: optional(text),
  phase: optional(text),
});

const textPart = { text, seal: optional(seal) };
const mediaPart = {
  kind: oneOf(every<Media["kind"]>({ image: true, audio: true, video: true, file: true })),
  mediaType: optional(text),
  source: variant({
    bytes: { data: text },
    url: { url: text },
    file: { id: text, owner: oneOf([...owners, "bedrock"]) },
  }),
  name: optional(text),
  detail: optional(text),
  seal: optional(seal),
};
const textOrMedia = { text: textPart, media: mediaPart };

const input = { at: number, by: optional(oneOf(["engine"])), parts: list(variant(textOrMedia)) };

/** A queued message. */
export const queuedShape = variant({ input });

const finishes = every<TurnEntry["finish"]>({
  stop: true,
  tool_calls: true,
  length: true,
  content_filter: true,
  error: true,
  stopped: true,
});

/** An entry of a ledger. */
export const entryShape = variant({
  input,
  answer: {
    at: number,
    model: text,
    parts: list(
      variant({
        ...textOrMedia,
        reasoning: { text, seal: optional(seal), isRedacted: optional(flag) },
        call: { id: text },
      }),
    ),
    finish: oneOf(finishes),
    usage: optional(object({})),
    hidden: optional(list(text)),
  },
  system: { at: number, parts: list(variant({ text: textPart })) },
  original: { at: number, format: oneOf(formats), value: anything },
  retract: { at: number, from: count },
  restore: { at: number, retraction: count },
});

const open = every<OpenState>({ proposed: true, awaiting: true, approved: true, running: true, delegated: true });

const scope = oneOf(every<AllowanceScope>({ thread: true, agent: true }));

const allowance = optional(object({ id: text, scope, at: number, by: optional(text) }));

/** The ids of child threads contain it after a slash. */
const callId = fitting(
  (value) => typeof value === "string" && value !== "" && !value.includes("/"),
  "a non-empty string without a slash",
);

const callFields = {
  id: callId,
  providerId: text,
  name: text,
  raw: text,
  seal: optional(seal),
  gate: optional(
    object({
      digest: text,
      decisions: list(oneOf(decisionTypes)),
      deadline: optional(number),
      always: optional(list(scope)),
    }),
  ),
  decision: optional(
    object({
      type: oneOf(decisionTypes),
      by: optional(text),
      at: number,
      digest: text,
      reason: optional(text),
      proposed: optional(object({ name: text, raw: text })),
      always: optional(object({ scope, match: oneOf(every<AllowanceMatch>({ tool: true, arguments: true })) })),
    }),
  ),
  allowance,
  attempts: count,
  startedAt: optional(number),
  endedAt: optional(number),
  proposed: optional(object({ name: text, raw: text, allowance })),
};

const outcome = variant({
  result: { parts: list(variant(textOrMedia)), isError: flag },
  notice: { cause: oneOf(causes), reason: optional(text) },
});

const anyCall = object({ ...callFields, state: oneOf([...open, ...settledStates]) });
const openCall = object({ outcome: fitting((value) => value === undefined, "absent while the call is open") });
const settledCall = object({ outcome });

/** A call of a ledger. It has an outcome exactly if it is settled. */
export const callShape: Shape = (value) =>
  anyCall(value) ?? (isOpen(value as { readonly state: string }) ? openCall(value) : settledCall(value)); // validated by `anyCall`

const isOpen = ({ state }: { readonly state: string }): boolean => open.includes(state);
