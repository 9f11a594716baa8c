import { fileNameOf, openFiles, reasonOf } from "../context-size/thread-file.ts";
import { isFileResult, isLong, resultText } from "./clip-results.ts";
import type { SummarySettings } from "./summarization-options.ts";
import { summaryTexts } from "./summary-texts.ts";
import type { SummaryContext, SummaryView } from "./summary-view.ts";

/** Clips long results of the last messages, and stores them first. False if there are none. */
export async function clipLongResults(
  { rest }: SummaryView,
  context: SummaryContext,
  settings: SummarySettings,
): Promise<boolean> {
  const known = context.state.get().clipped ?? {};
  const results: Record<string, string | null> = {};
  for (const message of rest) {
    const number = context.entryOf(message)?.number;
    if (message.role !== "tool" || number === undefined) continue;
    for (const [place, result] of message.results.entries()) {
      const key = `${number}.${place}`;
      if (key in known || !isLong(result)) continue;
      results[key] = isFileResult(result) ? null : await storeResult(resultText(result), key, { context, settings });
    }
  }
  if (Object.keys(results).length === 0) return false;
  context.state.update({ type: "clip", results });
  return true;
}

/** The file of a result; null if it cannot be stored. */
async function storeResult(
  text: string,
  key: string,
  { context, settings }: { readonly context: SummaryContext; readonly settings: SummarySettings },
): Promise<string | null> {
  const path = `${settings.directory}/results/${fileNameOf(context.threadId)}-${key}`;
  try {
    const backend = await openFiles(settings.files, context);
    await backend.write(path, new TextEncoder().encode(text));
    return path;
  } catch (error) {
    context.warn(summaryTexts[context.language].notStored(path, reasonOf(error, context)));
    return null;
  }
}
