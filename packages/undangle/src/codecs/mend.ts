import { createJournal, pair } from "#core";
import type { Edit, Entry, Policy, Problem, Profile } from "#core";

import type { Codec, Request, Survey } from "./codec.ts";

/** What became of a request: the same list when nothing was changed. */
export interface Mended {
  readonly list: readonly unknown[];
  /** The keys of the body that have new values. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly edits: readonly Edit[];
  /** Everything that was found, mended or not. */
  readonly problems: readonly Problem[];
}

const nothing: readonly never[] = [];

/**
 * Runs every rule of a format over a request. Finding and mending are one pass, so that whatever is found and can be mended
 * is mended, and nothing is mended that was not found. What a first look shows to be healthy is passed over, unless the
 * rest cannot be decided without it.
 */
export function mend(codec: Codec, request: Request, policy: Policy): Mended {
  const { list } = request;
  const profile = codec.profile(request);
  const survey = codec.survey(request, profile);
  if (survey.suspects.length === 0) return { list, body: undefined, edits: nothing, problems: nothing };
  const whole: Survey = { suspects: [0, list.length], ids: undefined };
  const isWhole = survey.suspects[0] === 0 && survey.suspects[1] === list.length;
  const mended = isWhole ? undefined : mendSuspects(codec, { request, profile, policy, survey });
  // Without spans nothing is missing, so that the second reading always comes to an end.
  return (
    mended ??
    mendSuspects(codec, { request, profile, policy, survey: whole }) ?? {
      list,
      body: undefined,
      edits: nothing,
      problems: nothing,
    }
  );
}

interface Task {
  readonly request: Request;
  readonly profile: Profile;
  readonly policy: Policy;
  readonly survey: Survey;
}

function mendSuspects(codec: Codec, { request, profile, policy, survey }: Task): Mended | undefined {
  const journal = createJournal({ format: codec.format, provider: request.provider, listKey: codec.listKey });
  const reading = codec.open(request, profile, policy, journal);
  if (request.list.length === 0) {
    journal.report({ rule: "no-messages", from: codec.listKey, message: "There are no messages." });
  }
  const entries = reading.read(survey.suspects);
  const spanIds = entries?.some(({ role }) => role === "span") === true ? (survey.ids ?? new Set<string>()) : undefined;
  const paired = entries && pair(entries, { dialect: reading.dialect, policy, journal, spanIds });
  if (paired === undefined) return undefined;
  const settled = reading.settle(paired);
  const body = reading.mendBody(settled);
  if (!journal.changed()) return { list: request.list, body: undefined, edits: nothing, problems: journal.problems };
  const list = reading.write(settled);
  const edits = journal.edits(reading.dialect, (entry: Entry) => reading.written(entry, list));
  return { list, body, edits, problems: journal.problems };
}
