import { createJournal, pair } from "#core";
import type { Edit, Entry, Policy, Problem } from "#core";

import type { Codec, Request } from "./codec.ts";

/** What became of a request: the same list when nothing was changed. */
export interface Mended {
  readonly list: readonly unknown[];
  /** The keys of the body that have new values. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly edits: readonly Edit[];
  /** Everything that was found, mended or not. */
  readonly problems: readonly Problem[];
}

/**
 * Runs every rule of a format over a request. Finding and mending are one pass, so that whatever is found and can be mended
 * is mended, and nothing is mended that was not found.
 */
export function mend(codec: Codec, request: Request, policy: Policy): Mended {
  const profile = codec.profile(request);
  if (codec.accepts(request, profile)) return { list: request.list, body: undefined, edits: [], problems: [] };
  const journal = createJournal({ format: codec.format, provider: request.provider, listKey: codec.listKey });
  const reading = codec.open(request, profile, policy, journal);
  if (request.list.length === 0) {
    journal.report({ rule: "no-messages", from: codec.listKey, message: "There are no messages." });
  }
  const paired = pair(reading.read(), { dialect: reading.dialect, policy, journal });
  const settled = reading.settle(paired);
  const body = reading.mendBody(settled);
  if (!journal.changed()) return { list: request.list, body: undefined, edits: [], problems: journal.problems };
  const list = reading.write(settled);
  const edits = journal.edits(reading.dialect, (entry: Entry) => list[entry.at]);
  return { list, body, edits, problems: journal.problems };
}
