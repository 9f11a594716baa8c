import type { FastifyRequest } from "fastify";
import { canonicalPath } from "undangle/files";

import { ApiError } from "../../responses/api-error.ts";
import { pathOf } from "../../responses/route-methods.ts";

/**
 * The canonical path of the file that a URL names. It is read from the URL itself, because the router decodes `%2F` to
 * a separator. A proxy in front of the server may read a separator, a dot or an escape that is encoded otherwise than
 * the server does, so a path has one spelling in a URL.
 */
export function filePathIn({ url }: Pick<FastifyRequest, "url">): string {
  const given = pathOf(url).split("/").slice(segmentsBefore).join("/");
  if (/\\|%(?:2f|5c)/iu.test(given)) throw refused("Separate its segments with /, not with %2F, %5C or \\.");
  const path = decoded(given);
  if (/%(?:00|25|2e|2f|5c)/iu.test(path)) throw refused("It is percent-encoded twice. Encode each segment once.");
  const { path: canonical, error } = canonicalPath(`/${path}`);
  if (error !== undefined) throw new ApiError(400, error.code, error.message, { param: "path", cause: error });
  if (canonical === "/") throw refused("It names no file. Write it after /files/.");
  return canonical;
}

/** The path of a file in the API, with one spelling. */
export const fileLocation = (thread: string, path: string): string =>
  `${thread}/files${path.split("/").map(encodeURIComponent).join("/")}`;

/** A text that paths start with. Without a slash at its start, no path would start with it. */
export const prefixOf = (text: string): string => (text.startsWith("/") ? text : `/${text}`);

/** `/threads/:id/files/` */
const segmentsBefore = 4;

const refused = (why: string): ApiError =>
  new ApiError(400, "file/path", `The path of the file cannot be used. ${why}`, { param: "path" });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("It is not percent-encoded UTF-8.");
  }
}
