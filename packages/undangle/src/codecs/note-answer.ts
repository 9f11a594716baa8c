import type { Journal } from "#core";

/** A call without a result, and its notice. */
interface Answer {
  readonly id: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly after: unknown;
}

const rule = "unanswered-call";

/** Reports that a call of an open turn got a result, as the rules would. */
export function noteAnswer({ id, name, from, to, after }: Answer, journal: Journal): void {
  journal.answered(
    name,
    id === ""
      ? { rule, type: "insert", lossless: true, reconstructed: false, from, to, after }
      : { rule, type: "insert", lossless: true, reconstructed: false, from, to, after, callId: id },
  );
}
