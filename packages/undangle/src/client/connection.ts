import type { ClientOptions, PostOptions } from "./client.ts";
import { refusalOf } from "./server-refusal.ts";

/** Requests to a server. */
export interface Connection {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object | undefined, options?: PostOptions): Promise<T>;
  patch<T>(path: string, body: object): Promise<T>;
  delete(path: string): Promise<void>;
  /** A streamed response. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<Response>;
}

export function createConnection({ url, key, fetch: given, headers: common = {} }: ClientOptions): Connection {
  const base = url.replace(/(?<!\/)\/+$/u, "");
  const ask = async (
    path: string,
    init: Omit<RequestInit, "headers"> & { readonly headers: Readonly<Record<string, string>> },
  ): Promise<Response> => {
    const headers = { ...common, ...(key !== undefined && { authorization: `Bearer ${key}` }), ...init.headers };
    const answer = await (given ?? globalThis.fetch)(base + path, { ...init, headers });
    if (!answer.ok) throw await refusalOf(answer);
    return answer;
  };
  const send = async <T>(
    method: string,
    path: string,
    body: object | undefined,
    options: PostOptions = {},
  ): Promise<T> => {
    const { idempotencyKey, signal } = options;
    const answer = await ask(path, {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return (answer.status === 204 ? undefined : await answer.json()) as T; // the type that the server documents
  };
  return {
    get: (path) => send("GET", path, undefined),
    post: (path, body, options) => send("POST", path, body, options),
    patch: (path, body) => send("PATCH", path, body),
    delete: (path) => send("DELETE", path, undefined),
    stream: (path, headers, signal) =>
      ask(path, { headers: { ...headers, accept: "text/event-stream" }, ...(signal !== undefined && { signal }) }),
  };
}
