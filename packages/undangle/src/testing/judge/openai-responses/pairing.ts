import { isText, recordOf, shown } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

interface Place {
  readonly index: number;
  readonly path: string;
  readonly type: unknown;
  /** Whether the output of a call may follow in a later request. */
  readonly mayWait?: boolean;
}

/** The pairing rules: by call_id, anywhere after the call. */
export function judgeResponsesPairing(items: readonly unknown[], isStored: boolean): Verdict[] {
  const verdicts: Verdict[] = [];
  const calls = new Map<string, Place>();
  const outputs = new Map<string, Place>();
  for (const [index, raw] of items.entries()) {
    const { type, call_id: id, async: mayWait } = recordOf(raw);
    const path = `input[${index}]`;
    if (!isText(id)) {
      // An item without a call_id has its own verdict.
    } else if (isCall(type)) {
      if (calls.has(id)) verdicts.push({ id: "OAR-DUP-CALL", path, text: `Duplicate 'call_id': ${id}` });
      else calls.set(id, { index, path, type, mayWait: mayWait === true });
    } else if (isOutput(type)) {
      const text = `Duplicate ${shown(type)} for call_id ${id}`;
      if (outputs.has(id)) verdicts.push({ id: "OAR-DUP-OUTPUT", path, text });
      else outputs.set(id, { index, path, type });
    }
  }
  for (const [id, { path, type, mayWait = false }] of calls) {
    if (!outputs.has(id) && !mayWait) verdicts.push({ id: "OAR-UNANSWERED", path, text: withoutOutput(type, id) });
  }
  for (const [id, { index, path, type }] of outputs) {
    const call = calls.get(id);
    if (call === undefined) {
      if (!isStored && !isClientCall(items, id)) verdicts.push({ id: "OAR-ORPHAN", path, text: withoutCall(type, id) });
    } else if (call.index > index) {
      verdicts.push({ id: "OAR-OUTPUT-BEFORE-CALL", path, text: withoutCall(type, id) });
    }
  }
  return verdicts;
}

/** Types as words: `function call`, `custom tool call output`. */
const wordsOf = (type: unknown): string => shown(type).replaceAll("_", " ");

const withoutOutput = (type: unknown, id: string): string => `No tool output found for ${wordsOf(type)} ${id}.`;

const withoutCall = (type: unknown, id: string): string =>
  `No tool call found for ${wordsOf(type)} with call_id ${id}.`;

/** Item ids are unique across all types. */
export function judgeItemIds(items: readonly unknown[]): Verdict[] {
  const seen = new Set<string>();
  return items.flatMap((raw, index): Verdict[] => {
    const { id } = recordOf(raw);
    if (typeof id !== "string") return [];
    if (seen.has(id)) return [{ id: "OAR-DUP-ITEM", path: `input[${index}].id`, text: duplicateItem(id) }];
    seen.add(id);
    return [];
  });
}

const duplicateItem = (id: string): string =>
  `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;

/** For servers that require it: only calls and outputs between a call and its output. */
export function judgeAdjacency(items: readonly unknown[]): Verdict[] {
  return items.flatMap((raw, index): Verdict[] => {
    const { type, call_id: id } = recordOf(raw);
    if (!isCall(type) || !isText(id)) return [];
    const answer = items.findIndex((other, at) => {
      const output = recordOf(other);
      return at > index && isOutput(output["type"]) && output["call_id"] === id;
    });
    const between = items.slice(index + 1, Math.max(answer, index + 1));
    const isClose = between.every((other) => isCall(recordOf(other)["type"]) || isOutput(recordOf(other)["type"]));
    if (isClose) return [];
    return [{ id: "CMP-OUTPUT-ADJACENT", path: `input[${index}]`, text: `No tool output found for tool call ${id}` }];
  });
}

/** OpenAI's own tools that a client runs: the types of their calls and outputs. */
const clientTools: ReadonlyMap<unknown, string> = new Map(
  ["computer_call", "shell_call", "local_shell_call", "apply_patch_call"].map((type) => [type, `${type}_output`]),
);
const clientOutputs: ReadonlySet<unknown> = new Set(clientTools.values());

/** Calls and outputs of client tools must be paired; their order is not checked. */
export function judgeClientTools(items: readonly unknown[], isStored: boolean): Verdict[] {
  const all = items.map(recordOf);
  const answered = new Set(all.flatMap(({ type, call_id: id, id: own }) => (isAnyOutput(type) ? [id, own] : [])));
  const called = new Set(all.flatMap(({ type, call_id: id }) => (clientTools.has(type) ? [id] : [])));
  return all.flatMap(({ type, call_id: id, id: own }, index): Verdict[] => {
    const path = `input[${index}]`;
    if (clientTools.has(type) && isText(id) && !answered.has(id))
      return [{ id: "OAR-UNANSWERED", path, text: withoutOutput(type, id) }];
    if (clientOutputs.has(type) && !isStored && !called.has(id) && !called.has(own))
      return [{ id: "OAR-ORPHAN", path, text: withoutCall(type, shown(id ?? own)) }];
    return [];
  });
}

/** Codex returns results of the local shell as function outputs. */
const isClientCall = (items: readonly unknown[], callId: string): boolean =>
  items.map(recordOf).some(({ type, call_id: id }) => clientTools.has(type) && id === callId);

const isAnyOutput = (type: unknown): boolean => typeof type === "string" && type.endsWith("_output");

const isCall = (type: unknown): boolean => type === "function_call" || type === "custom_tool_call";

export const isOutput = (type: unknown): boolean =>
  type === "function_call_output" || type === "custom_tool_call_output";
