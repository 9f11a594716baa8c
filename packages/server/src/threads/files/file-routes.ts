import { Buffer } from "node:buffer";

import type { FastifyInstance } from "fastify";
import type { Thread, ThreadFile } from "undangle/agent";

import { ApiError } from "../../responses/api-error.ts";
import { entityTag, fileHeaders, isKnownTag } from "./file-headers.ts";
import { fileLocation, filePathIn, prefixOf } from "./file-path.ts";
import { openedBy } from "../opened-thread.ts";
import type { WithId } from "../opened-thread.ts";
import { locationOf } from "../show-thread.ts";
import * as schemas from "../thread-schemas.ts";

/** Routes that list, read, write and delete the files of threads. */
export function fileRoutes(app: FastifyInstance): Promise<void> {
  const opened = openedBy(app.service.projectThreads);
  const place = "/threads/:id/files/*";
  const params = schemas.fileParams;
  readBytes(app);

  app.get<WithId & { Querystring: { prefix?: string } }>(
    "/threads/:id/files",
    { schema: { params: schemas.threadParams, querystring: schemas.filesQuery } },
    async (request) => {
      const { thread } = await opened(request);
      const { prefix } = request.query;
      const files = await thread.files(prefix === undefined ? undefined : prefixOf(prefix));
      return { data: files.map(showFile) };
    },
  );

  app.get<WithId>(place, { schema: { params } }, async (request, reply) => {
    const path = filePathIn(request);
    const { thread } = await opened(request);
    const content = await thread.readFile(path);
    if (content === undefined) throw missing(path);
    const tag = entityTag(content);
    void reply.headers({ ...fileHeaders(path), etag: tag });
    if (isKnownTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
    return reply.send(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  });

  app.put<WithId & { Body: Buffer | undefined }>(
    place,
    { schema: { params }, config: { takesBytes: true } },
    async (request, reply) => {
      const path = filePathIn(request);
      const { thread, id } = await opened(request);
      if (request.headers["content-range"] !== undefined)
        throw new ApiError(400, "range-unsupported", "A file is written as a whole. Send it without Content-Range.", {
          param: "Content-Range",
        });
      const isNew = !(await isThere(thread, path));
      await thread.writeFile(path, request.body ?? new Uint8Array());
      if (!isNew) return reply.code(204).send();
      return reply
        .code(201)
        .header("location", fileLocation(locationOf(id), path))
        .send();
    },
  );

  app.delete<WithId>(place, { schema: { params } }, async (request, reply) => {
    const path = filePathIn(request);
    const { thread } = await opened(request);
    if (!(await isThere(thread, path))) throw missing(path);
    await thread.writeFile(path, null);
    return reply.code(204).send();
  });
  return Promise.resolve();
}

/** Accepts bodies of any type as bytes. A page of another origin cannot send a PUT without a preflight request. */
function readBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, ({ headers }, body, done) => {
    const encoding = headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") return done(null, body);
    return done(
      new ApiError(415, "encoding-unknown", "Compressed bodies are not supported. Send the body uncompressed."),
    );
  });
}

const isThere = async (thread: Thread, path: string): Promise<boolean> =>
  (await thread.files(path)).some((file) => file.path === path);

const showFile = ({ path, size, createdAt, modifiedAt }: ThreadFile): object => ({
  path,
  size,
  createdAt: new Date(createdAt).toISOString(),
  modifiedAt: new Date(modifiedAt).toISOString(),
});

const missing = (path: string): ApiError =>
  new ApiError(
    404,
    "file/missing",
    `There is no file ${JSON.stringify(path)}. GET /threads/:id/files lists the files.`,
    {
      param: "path",
    },
  );
