import { randomUUID } from "node:crypto";

import { isRecord } from "#core";

import type { AllowanceMatch, AllowanceScope, AppliedAlways, LedgerAllowance } from "../ledger/allowance.ts";
import type { Gate, LedgerCall } from "../ledger/call.ts";
import { argumentsDigest } from "./covering.ts";
import type { DecisionWords } from "./decision-words.ts";

/**
 * Creates an allowance. `true` covers calls of this tool in this thread. An object extends it to all threads of the
 * agent, or limits it to calls with the same arguments.
 */
export type Always =
  | boolean
  | { readonly scope?: AllowanceScope | undefined; readonly match?: AllowanceMatch | undefined };

/** An approved call as it will be executed, with the time and the author of the approval. */
export interface ApprovedCall extends Pick<LedgerCall, "id" | "name" | "raw"> {
  readonly gate: Gate | undefined;
  readonly at: number;
  readonly by?: string | undefined;
  /** The name of the deciding agent, if it has one. */
  readonly agent: string | undefined;
  readonly words: DecisionWords["always"];
}

const scopes: readonly unknown[] = ["thread", "agent"] satisfies readonly AllowanceScope[];
const matches: readonly unknown[] = ["tool", "arguments"] satisfies readonly AllowanceMatch[];

/** The allowance that a decision creates, or an error message. */
export function appliedAlways(always: unknown, call: ApprovedCall): AppliedAlways | undefined | string {
  if (always === undefined || always === false) return undefined;
  const { id, name, raw, gate, at, by, agent, words } = call;
  const given = always === true ? {} : always;
  const odd = isRecord(given) ? Object.keys(given).find((key) => key !== "scope" && key !== "match") : undefined;
  if (!isRecord(given) || odd !== undefined) return words.shape(odd);
  const { scope = "thread", match = "tool" } = given;
  if (!isScope(scope)) return words.scope(scopes);
  if (!isMatch(match)) return words.match(matches);
  if (gate?.always === undefined) return words.never(name);
  if (scope === "agent" && (agent === undefined || !gate.always.includes(scope))) return words.nameless(name);
  const digest = match === "arguments" ? argumentsDigest(name, raw) : undefined;
  if (match === "arguments" && digest === undefined) return words.tooDeep;
  const allowance: LedgerAllowance = {
    id: randomUUID(),
    tool: name,
    ...(digest !== undefined && { digest }),
    call: id,
    at,
    ...(by !== undefined && { by }),
  };
  return { scope, match, allowance };
}

const isScope = (value: unknown): value is AllowanceScope => scopes.includes(value);
const isMatch = (value: unknown): value is AllowanceMatch => matches.includes(value);
