import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { onTestFinished } from "vitest";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export interface StaticFiles {
  readonly url: string;
  /** The paths that were requested. */
  readonly requests: readonly string[];
}

export interface StaticOptions {
  /** The path under which the folder is served. */
  readonly under?: string;
  /** Serves index.html for pages, and refuses the API with this status. */
  readonly apiStatus?: number;
}

/** A plain file server, like any static host. */
export async function serveFiles(folder: string, { under = "/", apiStatus }: StaticOptions = {}): Promise<StaticFiles> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    requests.push(pathname);
    const inner = pathname.startsWith(under) ? pathname.slice(under.length) : undefined;
    const isPage = inner === "" || inner?.endsWith("/") === true || (apiStatus !== undefined && inner === "doctor");
    if (inner === undefined || (apiStatus !== undefined && !isPage && !inner.startsWith("assets/"))) {
      response
        .writeHead(apiStatus ?? 404, { "content-type": "application/json" })
        .end('{"error":{"message":"refused"}}');
      return;
    }
    const path = join(folder, isPage ? "index.html" : inner);
    readFile(path).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  return { url: `http://127.0.0.1:${port}${under}`, requests };
}
