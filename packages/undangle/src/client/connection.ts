import type { ClientOptions, PostOptions } from "./client.ts";
import { refusalOf } from "./server-refusal.ts";

/** Requests to a server. */
export interface Connection {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object | undefined, options?: PostOptions): Promise<T>;
  patch<T>(path: string, body: object): Promise<T>;
  delete(path: string): Promise<void>;
  /** The body of a response, as it is. */
  bytes(path: string): Promise<Uint8Array>;
  /** Sends a body as it is. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** Sends this token with later requests, which proves that they come from a page of the server. */
  useToken(token: string | null): void;
  /** A streamed response. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<Response>;
}

export function createConnection({ url, key, fetch: given, headers: common = {} }: ClientOptions): Connection {
  const base = url.replace(/(?<!\/)\/+$/u, "");
  let token: string | null = null;
  const request = async (
    path: string,
    init: Omit<RequestInit, "headers"> & { readonly headers: Readonly<Record<string, string>> },
  ): Promise<Response> => {
    const headers = {
      ...common,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(token !== null && { "x-undangle-csrf": token }),
      ...init.headers,
    };
    const response = await (given ?? globalThis.fetch)(base + path, { ...init, headers });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
  const send = async <T>(
    method: string,
    path: string,
    body: object | undefined,
    options: PostOptions = {},
  ): Promise<T> => {
    const { idempotencyKey, signal } = options;
    const response = await request(path, {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return (response.status === 204 ? undefined : await response.json()) as T; // the type that the server documents
  };
  return {
    get: (path) => send("GET", path, undefined),
    post: (path, body, options) => send("POST", path, body, options),
    patch: (path, body) => send("PATCH", path, body),
    delete: (path) => send("DELETE", path, undefined),
    bytes: async (path) => new Uint8Array(await (await request(path, { headers: {} })).arrayBuffer()),
    async put(path, content) {
      const body = typeof content === "string" ? content : new Uint8Array(content); // a request takes no shared memory
      await request(path, { method: "PUT", headers: { "content-type": "application/octet-stream" }, body });
    },
    useToken(given) {
      token = given;
    },
    stream: (path, headers, signal) =>
      request(path, { headers: { ...headers, accept: "text/event-stream" }, ...(signal !== undefined && { signal }) }),
  };
}
