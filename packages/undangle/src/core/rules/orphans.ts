import type { Dialect, Means, Policy } from "../dialect.ts";
import { makeAssistant, makeCall, makeUser, textContent } from "../history.ts";
import type { AssistantEntry, Call, Content, Entry, ResultEntry, UserEntry } from "../history.ts";
import type { Finding } from "../journal.ts";
import { quotePrefix } from "../notices.ts";
import { acceptsId } from "../profile.ts";
import { describeResult } from "./describe.ts";
import type { Mint } from "./identify.ts";
import type { Matching } from "./match.ts";
import { createNames, nameOf } from "./names.ts";

/** Places results without a call. Call `place` in order; `seal` ends a group of neighbours. */
export interface Orphanage {
  /** The replacement of a result: a reconstructed call and the result, quoted text, or nothing. */
  place(result: ResultEntry, index: number): readonly Entry[];
  seal(): void;
}

export function createOrphanage(
  entries: readonly Entry[],
  { turns }: Matching,
  mint: Mint,
  { dialect, policy, journal, unread }: Means,
): Orphanage {
  const namesById = createNames(turns);
  let used: Set<string> | undefined;
  let run: { readonly assistant: AssistantEntry; readonly calls: Call[] } | undefined;

  const restore = (result: ResultEntry, finding: Finding): readonly Entry[] => {
    used ??= new Set(turns.flatMap(({ calls }) => calls.map(({ id }) => id)));
    const name = nameOf(result.id, result.name, namesById, dialect);
    const keeps = acceptsId(result.id, dialect.profile.ids) && (result.id === "" || !used.has(result.id));
    const id = keeps ? result.id : mint.fresh(result.id === "" ? `${name}\u0000orphan` : result.id);
    used.add(id);
    const call = makeCall(id, name, dialect.emptyArguments);
    call.result = result;
    const opened = run === undefined;
    run ??= openRun();
    run.calls.push(call);
    const { assistant } = run;
    journal.report(finding, { type: "restore", entry: assistant, call, reconstructed: true });
    if (!keeps) {
      journal.edit({ ...finding, callId: id }, { type: "rename", entry: result, suffix: dialect.fields.resultId });
      result.id = id;
      result.fresh = true;
    }
    return opened ? [assistant, result] : [result];
  };

  return {
    place(result, index) {
      const finding: Finding = {
        rule: "orphan-result",
        from: dialect.from(result),
        message: `${describeResult(result)} belongs to no call.`,
        callId: result.id,
      };
      if (policy.orphans === "drop") {
        journal.report(finding, { type: "remove", lossless: false });
        return [];
      }
      const mayRestore = policy.orphans === "restore" && dialect.mayRestore(entries, index);
      if (mayRestore === undefined && unread !== undefined) unread.isNeeded = true;
      if (mayRestore === true) return restore(result, finding);
      run = undefined;
      const quoted = quote(result, dialect, policy);
      journal.report(finding, { type: "quote", entry: quoted });
      return [quoted];
    },
    seal() {
      run = undefined;
    },
  };
}

function openRun(): { readonly assistant: AssistantEntry; readonly calls: Call[] } {
  const calls: Call[] = [];
  return { assistant: makeAssistant(calls), calls };
}

/** The output of a call as user content, labelled as data. */
function quote(result: ResultEntry, dialect: Dialect, { language }: Policy): UserEntry {
  const content = dialect.contentOf(result);
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const media = content.filter((part): part is Content => part.type !== "text");
  return makeUser([textContent([quotePrefix[language], ...texts].join("\n")), ...media]);
}
