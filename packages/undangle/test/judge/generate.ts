import { listOf, recordOf, type Loose } from "../../src/testing/judge/loose.ts";
import { randomFrom } from "./random.ts";
import type { Format } from "./subject.ts";
import { subjects } from "./subjects.ts";

export { lostTexts } from "./texts.ts";

/** A healthy, varied conversation of about `size` exchanges; every text in it is unique (`user-17`). */
export function generate(format: Format, seed: number, size: number): Loose {
  return subjects[format].generate(randomFrom(seed), size);
}

/** The messages of a body or of a bare array. */
export function messagesOf(input: unknown, format: Format): readonly unknown[] {
  return Array.isArray(input) ? input : listOf(recordOf(input)[subjects[format].listKey]);
}

/** All user texts, assistant texts and result texts of a body, as they stand, from strings and parts alike. */
export function textsOf(input: unknown, format: Format): string[] {
  return subjects[format].textsOf(messagesOf(input, format));
}

/** Those of them that somebody said: damage can make a text of anything, as of the type of an image. */
export const saidIn = (input: unknown, format: Format): string[] =>
  textsOf(input, format).filter((text) => /(?:user|assistant|result)-\d/u.test(text));
