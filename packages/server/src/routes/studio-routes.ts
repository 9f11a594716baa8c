import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Language } from "undangle";

import { ApiError } from "../responses/api-error.ts";
import { pathOf } from "../responses/route-methods.ts";
import { isKnownTag } from "../threads/files/file-headers.ts";
import { readStudio } from "./studio-files.ts";
import type { StudioFile } from "./studio-files.ts";

/** Where `npm run build` writes the studio. The path is the same from the sources and from the compiled files. */
const builtFolder = fileURLToPath(new URL("../../dist/studio", import.meta.url));

/** The paths of its views. The page shows the view of its address, so all of them return the same document. */
const views = ["/", "/t/*", "/doctor", "/doctor/*", "/settings", "/settings/*"];

/**
 * Serves the studio, the web page of the server. The files contain no data of the server, so they need no key: the page
 * itself requests one where the server does.
 */
export function studioRoutes(app: FastifyInstance): Promise<void> {
  const { studio } = app.service.settings;
  if (studio === false) return Promise.resolve();
  const read = readStudio(studio === true ? builtFolder : resolve(studio));
  const config = { isPage: true };
  for (const view of views)
    app.get(view, { config }, async (request, reply) => {
      const file = (await read()).get("index.html");
      if (file !== undefined) return send(request, reply, { file, caching: "no-cache" });
      return reply
        .headers(protection)
        .type("text/html; charset=utf-8")
        .send(unbuiltPage(languageOf(request)));
    });
  app.get<{ Params: { "*": string } }>("/assets/*", { config }, async (request, reply) => {
    const file = (await read()).get(`assets/${request.params["*"]}`);
    return send(request, reply, { file, caching: "public, max-age=31536000, immutable" }); // the name has a hash of the content
  });
  return Promise.resolve();
}

function send(
  { headers, url }: FastifyRequest,
  reply: FastifyReply,
  { file, caching }: { readonly file: StudioFile | undefined; readonly caching: string },
): FastifyReply {
  if (file === undefined) throw new ApiError(404, "route-unknown", `There is no file ${pathOf(url)}.`);
  void reply.headers({ ...protection, "cache-control": caching, etag: file.tag, vary: "accept-encoding, origin" });
  if (isKnownTag(headers["if-none-match"], file.tag)) return reply.code(304).send();
  void reply.type(file.type);
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/iu.test(headers["accept-encoding"] ?? "");
  return file.gzipped !== undefined && takesGzip
    ? reply.header("content-encoding", "gzip").send(file.gzipped)
    : reply.send(file.content);
}

/** The page runs only files of this server, sends requests only to it, and no other page can show it in a frame. */
const protection = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cache-control": "no-store",
} as const;

const languageOf = ({ headers }: FastifyRequest): Language =>
  /^zh\b/iu.test(headers["accept-language"] ?? "") ? "zh" : "en";

/** What a server shows that runs from its sources, where nothing has built the studio. */
function unbuiltPage(language: Language): string {
  const { tag, title, build, api } = unbuiltTexts[language];
  return `<!doctype html>
<html lang="${tag}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Undangle</title></head><body><h1>${title}</h1><p>${build}</p><pre>npm run build</pre><p>${api}</p></body></html>
`;
}

const unbuiltTexts = {
  en: {
    tag: "en",
    title: "The studio is not built",
    build: "Build it in the folder of the repository, then load this page again:",
    api: "The API works without it: see <code>/openapi.json</code>.",
  },
  zh: {
    tag: "zh-CN",
    title: "工作台尚未构建",
    build: "请在代码库目录中构建，然后重新加载本页：",
    api: "API 不依赖工作台，可直接使用：见 <code>/openapi.json</code>。",
  },
} as const satisfies Record<Language, object>;
