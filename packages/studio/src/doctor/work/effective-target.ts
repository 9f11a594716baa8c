import { detect } from "undangle";
import type { Format } from "undangle";
import { providerOfHost, providerOfModel } from "undangle/report";

import type { FoundHistory } from "../input/found.ts";

/** What the person chose. Undefined: detected, or that of the format. */
export interface Target {
  readonly format?: Format | undefined;
  readonly provider?: string | undefined;
}

/** The choice, with the provider that the address or the model shows: `wrapFetch` applies its rules too. */
export function effectiveTarget(
  { value, url }: Pick<FoundHistory, "value" | "url">,
  { format, provider }: Target,
): Target {
  const known = format ?? detect(value)?.format;
  if (provider !== undefined || known === undefined) return { format, provider };
  const model = typeof value === "object" && value !== null && "model" in value ? value.model : undefined;
  const ofHost = url === undefined ? undefined : providerOfHost(known, hostOf(url));
  return { format, provider: ofHost ?? providerOfModel(known, model) };
}

const hostOf = (url: string): string => /^https?:\/\/([^/:?#]+)/iu.exec(url)?.[1]?.toLowerCase() ?? "";
