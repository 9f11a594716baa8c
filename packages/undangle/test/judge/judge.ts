import type { Court } from "./subject.ts";
import { subjects } from "./subjects.ts";
import type { Verdict } from "../../src/testing/judge/verdict.ts";

export type { Court, Format } from "./subject.ts";
export type { Verdict } from "../../src/testing/judge/verdict.ts";

/**
 * Every reason for which the provider would refuse the body; an empty list means that it is legal.
 *
 * This is a second opinion: it was written from the rule list and shares no code with the product. Contested rules
 * and rules that cannot be seen offline are no verdicts; neither are rules of a model that the body does not name.
 */
export const judge = (body: unknown, court: Court): readonly Verdict[] => subjects[court.format].judge(body, court);
