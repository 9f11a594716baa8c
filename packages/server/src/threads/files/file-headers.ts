import { createHash } from "node:crypto";

/** Types that a browser shows and does not run. Everything else is saved instead of shown. */
const shown: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json; charset=utf-8",
  log: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  png: "image/png",
  txt: "text/plain; charset=utf-8",
  wav: "audio/wav",
  webp: "image/webp",
};

/** Scripts and styles are text: the studio loads both from this origin, and `nosniff` keeps a browser from guessing. */
const saved: Readonly<Record<string, string>> = {
  css: "text/plain; charset=utf-8",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/plain; charset=utf-8",
  jsonl: "application/jsonl; charset=utf-8",
  mjs: "text/plain; charset=utf-8",
  pdf: "application/pdf",
  svg: "image/svg+xml",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/**
 * The headers of a file. Its content comes from a model or a tool, so a browser must neither run it in the origin of
 * the server, nor load it into a page of another origin.
 */
export function fileHeaders(path: string): Readonly<Record<string, string>> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const inline = Object.hasOwn(shown, ending) ? shown[ending] : undefined;
  const other = Object.hasOwn(saved, ending) ? saved[ending] : undefined;
  return {
    "content-type": inline ?? other ?? "application/octet-stream",
    "content-disposition": `${inline === undefined ? "attachment" : "inline"}; filename*=UTF-8''${extendedValue(name)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-cache",
  };
}

/** The name in the encoding of RFC 8187. */
const extendedValue = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A strong validator of the content. */
export const entityTag = (content: Uint8Array): string =>
  `"${createHash("sha256").update(content).digest("base64url").slice(0, 32)}"`;

/** True if a client already has the content with this tag. */
export const isKnownTag = (given: string | undefined, tag: string): boolean =>
  given !== undefined && given.split(",").some((each) => ["*", tag, `W/${tag}`].includes(each.trim()));
