import { rules } from "#core";

import { isRecord } from "./loose.ts";
import type { Verdict } from "./verdict.ts";

/** A verdict in the words of the provider: its own error text, with the ids and indexes of this body in it. */
export function wordsFor(verdict: Verdict, body: unknown): string {
  const template = texts().get(verdict.id);
  if (template === undefined) return verdict.text;
  const id = idAt(body, verdict.path);
  const index = /\[(\d+)\]/u.exec(verdict.path)?.[1];
  const withId =
    id === undefined ? template : template.replace(/\b(?:call|toolu|tooluse|fc|ctc)_…|(?<=['"`])…(?=['"`])/u, id);
  return index === undefined ? withId : withId.replace(/(?<=\b(?:messages|input|contents)[.[])\d+/u, index);
}

/** The first error text of each rule, by the id under which a judge knows it. */
function texts(): ReadonlyMap<string, string> {
  const cases = Object.values(rules).flatMap((rule) => rule.cases);
  return new Map(cases.flatMap(({ id, errors }) => (errors[0] === undefined ? [] : [[id, errors[0]] as const])));
}

/** The id of the call or result that a path leads to. */
function idAt(body: unknown, path: string): string | undefined {
  let value: unknown = body;
  let id: string | undefined;
  for (const step of path.split(/[.[\]]+/u).filter(Boolean)) {
    value = isRecord(value) || Array.isArray(value) ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
    id = idOf(value) ?? id;
  }
  return id;
}

function idOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const found = ["tool_call_id", "tool_use_id", "toolUseId", "call_id", "id"].map((key) => value[key]).find(isText);
  return found;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
