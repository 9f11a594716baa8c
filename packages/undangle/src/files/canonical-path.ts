import { UndangleError } from "#core";

/** Either the canonical path, or an error with the code `file/path`. */
export type CanonicalPath =
  | { readonly path: string; readonly error?: undefined }
  | { readonly error: UndangleError; readonly path?: undefined };

/** In characters, as given. */
export const maxPathLength = 4096;
/** In bytes of UTF-8, because file systems limit names in bytes. */
const maxSegmentBytes = 255;

/**
 * The one spelling of a path that tools, rules and backends use: it begins with `/`, and has no `.`, `..` and empty
 * segments. A relative path starts at `/`. `\` separates segments like `/`. `..` is refused also where the path would
 * stay inside, because the result would depend on symbolic links.
 */
export function canonicalPath(text: string): CanonicalPath {
  const refuse = (reason: RefusedReason, limit?: number): CanonicalPath => ({
    error: new UndangleError("file/path", { path: text, reason, ...(limit === undefined ? {} : { limit }) }),
  });
  if (typeof text !== "string" || text === "") return refuse("empty"); // callers without types exist
  if (text.length > maxPathLength) return refuse("too-long", maxPathLength);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001f\u007f]/u.test(text)) return refuse("control-character");
  if (!text.isWellFormed()) return refuse("lone-surrogate");
  if (text.startsWith("~")) return refuse("home");
  if (/^(?:[a-z]:|\\\\|\/\/\?\/)/iu.test(text)) return refuse("drive");
  const segments = text.split(/[/\\]/u).filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return refuse("parent");
  if (segments.some((segment) => utf8Length(segment) > maxSegmentBytes))
    return refuse("segment-too-long", maxSegmentBytes);
  return { path: `/${segments.join("/")}` };
}

type RefusedReason =
  | "empty"
  | "too-long"
  | "control-character"
  | "lone-surrogate"
  | "home"
  | "drive"
  | "parent"
  | "segment-too-long";

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return text.length * 3 <= maxSegmentBytes ? text.length : encoder.encode(text).length;
}

/**
 * The form of a canonical path that rules compare: two Unicode spellings of one name become equal. Backends get the
 * spelling as given, because on a disk the two are different names.
 */
export function comparablePath(path: string): string {
  return path.normalize("NFC");
}
