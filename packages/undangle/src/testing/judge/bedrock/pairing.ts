import { isText, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { resultsOf, usesOf, type Message } from "./messages.ts";

/** Which toolResult answers which toolUse: those of a message are answered in the next one, once each. */
export function judgePairs(messages: readonly Message[]): Verdict[] {
  return messages.flatMap((message, index): Verdict[] => {
    const { path } = message;
    const called = idsOf(usesOf(message));
    const answered = idsOf(resultsOf(message));
    const answers = idsOf(resultsOf(messages[index + 1]));
    const asked = idsOf(usesOf(messages[index - 1]));
    return [
      ...repeated(called).map((id) => verdict("BDR-DUP-USE", path, `The toolUse blocks contain duplicate Ids: ${id}`)),
      ...repeated(answered).map((id) =>
        verdict("BDR-DUP-RESULT", path, `The toolResult blocks contain duplicate Ids: ${id}`),
      ),
      ...called
        .filter((id) => !answers.includes(id))
        .map((id) => verdict("BDR-UNANSWERED", path, `Expected toolResult blocks for the following Ids: ${id}`)),
      ...answered
        .filter((id) => !asked.includes(id))
        .map((id) =>
          verdict("BDR-EXCESS-RESULT", path, `toolResult ${id} exceeds the toolUse blocks of previous turn.`),
        ),
    ];
  });
}

const verdict = (id: string, path: string, text: string): Verdict => ({ id, path, text });

const idsOf = (holders: readonly Loose[]): string[] => holders.map(({ toolUseId }) => toolUseId).filter(isText);

const repeated = (ids: readonly string[]): string[] => ids.filter((id, index) => ids.indexOf(id) !== index);
