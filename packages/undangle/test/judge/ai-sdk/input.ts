import { isRecord } from "../../../src/testing/judge/loose.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";

/** The input of a call is an object, or the free text of a tool that takes such; text that looks like an object is none. */
export function judgeInput(input: unknown, path: string): Verdict[] {
  if (isRecord(input)) return [];
  if (typeof input === "string" && /^\s*[^\s{]/u.test(input)) return [];
  return [{ id: "OAC-ARGS-TYPE", path, text: "the input of a call is not an object" }];
}
