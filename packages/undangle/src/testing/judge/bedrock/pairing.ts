import { dotted, isText, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { resultsOf, usesOf, type Message } from "./messages.ts";

/** The pairing rules: each toolUse of a message has one toolResult in the next. */
export function judgePairs(messages: readonly Message[]): Verdict[] {
  return messages.flatMap((message, index): Verdict[] => {
    const { path } = message;
    const place = `${dotted(path)}.content`;
    const called = idsOf(usesOf(message));
    const answered = idsOf(resultsOf(message));
    const answers = idsOf(resultsOf(messages[index + 1]));
    const asked = idsOf(usesOf(messages[index - 1]));
    const open = called.filter((id) => !answers.includes(id));
    const next = `messages.${messages[index + 1]?.index ?? message.index + 1}.content`;
    const expected = `Expected toolResult blocks at ${next} for the following Ids: ${open.join(", ")}`;
    const exceeds = `The number of toolResult blocks at ${place} exceeds the number of toolUse blocks of previous turn.`;
    return [
      ...repeated(called).map((id) =>
        verdict("BDR-DUP-USE", path, `The toolUse blocks at ${place} contain duplicate Ids: ${id}`),
      ),
      ...repeated(answered).map((id) =>
        verdict("BDR-DUP-RESULT", path, `The toolResult blocks at ${place} contain duplicate Ids: ${id}`),
      ),
      ...open.map(() => verdict("BDR-UNANSWERED", path, expected)),
      ...answered.filter((id) => !asked.includes(id)).map(() => verdict("BDR-EXCESS-RESULT", path, exceeds)),
    ];
  });
}

const verdict = (id: string, path: string, text: string): Verdict => ({ id, path, text });

const idsOf = (holders: readonly Loose[]): string[] => holders.map(({ toolUseId }) => toolUseId).filter(isText);

const repeated = (ids: readonly string[]): string[] => ids.filter((id, index) => ids.indexOf(id) !== index);
