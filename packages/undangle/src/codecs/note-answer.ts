import type { Journal } from "#core";

/** Where a call without a result stands, and the notice that answers it now. */
interface Answer {
  readonly id: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly after: unknown;
}

const rule = "unanswered-call";

/** Notes that a call of an open turn was answered, in the words of the rules. */
export function noteAnswer({ id, name, from, to, after }: Answer, journal: Journal): void {
  journal.answered(
    name,
    id === ""
      ? { rule, type: "insert", lossless: true, reconstructed: false, from, to, after }
      : { rule, type: "insert", lossless: true, reconstructed: false, from, to, after, callId: id },
  );
}
