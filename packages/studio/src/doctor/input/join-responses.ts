import { detectStream } from "undangle/report";

import type { FoundStream, Place } from "./found.ts";

/** A response in an input, or one event of a streamed response. */
export interface Response extends Place {
  /** JSON, or server-sent events. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** The responses as streams. Events that were found one by one are joined. */
export function joinResponses(responses: readonly Response[]): readonly FoundStream[] {
  const joined: Response[] = [];
  for (const response of responses) {
    const last = joined.at(-1);
    if (last === undefined || last.isWhole || response.isWhole) joined.push(response);
    else joined[joined.length - 1] = { ...last, text: `${last.text.trimEnd()}\n\n${response.text}` };
  }
  return joined.flatMap(({ text, path, line }) => {
    const format = detectStream(text);
    return format === undefined ? [] : [{ type: "stream", text, format, path, ...(line !== undefined && { line }) }];
  });
}
