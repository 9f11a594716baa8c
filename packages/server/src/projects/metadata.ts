import { ApiError } from "../responses/api-error.ts";

const longestMetadata = 16 * 1024;

/** Limits metadata, which is read with every list of threads and saved with every commit. */
export function demandSmall(metadata: object | undefined): void {
  if (metadata === undefined || JSON.stringify(metadata).length <= longestMetadata) return;
  throw new ApiError(400, "parameter-invalid", `metadata must be at most ${longestMetadata / 1024} KB of JSON.`, {
    param: "metadata",
  });
}

/** Refuses a lone surrogate, which cannot be stored. */
export function demandWellFormed(title: string | undefined): void {
  if (title === undefined || title.isWellFormed()) return;
  throw new ApiError(400, "parameter-invalid", "title must be well-formed Unicode.", { param: "title" });
}

/** The record without null values, which remove keys. */
export const withoutNull = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
