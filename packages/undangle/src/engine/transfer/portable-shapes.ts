import { formats } from "#codecs";
import type { Media } from "#codecs";
import { causes } from "#core";
import type { Owner } from "#core";

import { decisionTypes } from "../approvals/rules.ts";
import type { AllowanceMatch, AllowanceScope } from "../ledger/allowance.ts";
import { settledStates } from "../ledger/call.ts";
import type { OpenState } from "../ledger/call.ts";
import type { AnswerEntry } from "../ledger/entry.ts";
import { anything, count, fitting, flag, list, number, object, oneOf, optional, text, variant } from "./shape.ts";
import type { Shape } from "./shape.ts";

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
const sayable = { text: textPart, media: mediaPart };

const input = { at: number, by: optional(oneOf(["engine"])), parts: list(variant(sayable)) };

/** A queued message. */
export const queuedShape = variant({ input });

const finishes = every<AnswerEntry["finish"]>({
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
        ...sayable,
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

const open = every<OpenState>({ proposed: true, awaiting: true, approved: true, running: true });

const scope = oneOf(every<AllowanceScope>({ thread: true, agent: true }));

const allowance = optional(object({ id: text, scope, at: number, by: optional(text) }));

const callFields = {
  id: text,
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
  proposed: optional(object({ name: text, raw: text, allowance })),
};

const outcome = variant({
  result: { parts: list(variant(sayable)), isError: flag },
  notice: { cause: oneOf(causes), reason: optional(text) },
});

const anyCall = object({ ...callFields, state: oneOf([...open, ...settledStates]) });
const openCall = object({ outcome: fitting((value) => value === undefined, "absent while the call is open") });
const settledCall = object({ outcome });

/** A call of a ledger. It has an outcome exactly if it is settled. */
export const callShape: Shape = (value) =>
  anyCall(value) ?? (isOpen(value as { readonly state: string }) ? openCall(value) : settledCall(value)); // validated by `anyCall`

const isOpen = ({ state }: { readonly state: string }): boolean => open.includes(state);
