import type { FastifyInstance, FastifyRequest } from "fastify";

import { ApiError } from "./api-error.ts";
import { demandExactNumbers } from "./exact-numbers.ts";
import { findJsonFault } from "./json-fault.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True for a route that passes numbers of the body to tools. */
    needsExactNumbers?: boolean;
    /** True for a route that returns numbers of the body as they are written. */
    keepsNumbers?: boolean;
  }
}

/** Limits the recursion of code that walks a body. */
const deepest = 200;

/** Accepts only JSON bodies in UTF-8 that are uncompressed, not too deeply nested, and free of prototype keys. */
export function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers(); // any page can send plain text without a preflight request
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request: FastifyRequest, body, done) => {
    const encoding = request.headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity")
      return done(
        new ApiError(415, "encoding-unknown", "Compressed bodies are not supported. Send the body uncompressed."),
      );
    let text: string;
    try {
      text = decoder.decode(body as Buffer); // by `parseAs`
    } catch {
      return done(new ApiError(400, "not-utf-8", "The body is not valid UTF-8.", { param: "body" }));
    }
    if (text === "") return done(null, null);
    if (isTooDeep(body as Buffer))
      return done(
        new ApiError(400, "too-deep", `The body is nested deeper than ${deepest} levels.`, { param: "body" }),
      );
    return parse(request, text, (error, value) => {
      if (error !== null) return done(faultOf(text));
      try {
        if (request.routeOptions.config.needsExactNumbers === true) demandExactNumbers(text);
      } catch (fault) {
        return done(fault as ApiError); // it throws nothing else
      }
      if (request.routeOptions.config.keepsNumbers === true) texts.set(request, text);
      return done(null, value);
    });
  });
}

const texts = new WeakMap<object, string>();

/** The text of the body, on a route that keeps its numbers. */
export const bodyText = (request: object): string => texts.get(request) ?? "";

/** The error of a refused text. The parser does not distinguish invalid JSON from a forbidden key. */
function faultOf(text: string): ApiError {
  const param = "body";
  try {
    JSON.parse(text);
    return new ApiError(400, "key-forbidden", "The body has a key __proto__ or constructor.prototype. Rename it.", {
      param,
    });
  } catch {
    const fault = findJsonFault(text);
    const place = fault === undefined ? "" : `: ${fault.what} (line ${fault.line}, column ${fault.column})`;
    return new ApiError(400, "not-json", `The body is not valid JSON${place}.`, { param });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

const sign = (text: string): number => text.charCodeAt(0);
const quote = sign('"');
const backslash = sign("\\");
const opening = [sign("["), sign("{")];
const closing = [sign("]"), sign("}")];

/** Counts brackets outside strings. */
function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length <= deepest) return false;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === opening[0] || byte === opening[1]) {
      if (++depth > deepest) return true;
    } else if (byte === closing[0] || byte === closing[1]) depth--;
  }
  return false;
}

/** The end of the string that starts at a position. An unterminated string ends with the body. */
function endOfText(bytes: Buffer, begin: number): number {
  for (let at = bytes.indexOf(quote, begin + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (bytes[before] === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return bytes.length;
}
