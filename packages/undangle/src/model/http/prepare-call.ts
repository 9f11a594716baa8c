import { UndangleError } from "#core";

import type { Environment, Fetch, HttpModelOptions, ModelTimeouts } from "../http-model-options.ts";
import type { ModelRequest, RequestTarget, WrittenRequest } from "../model.ts";
import type { Provider } from "../providers/provider.ts";
import { processEnvironment, variableIn } from "./environment.ts";
import { jsonBody } from "./json-body.ts";
import { requestTarget } from "./request-target.ts";
import { secretsOf } from "./secrets.ts";
import type { Secrets } from "./secrets.ts";
import { toolNames } from "./tool-names.ts";
import type { ToolNames } from "./tool-names.ts";
import { writeRequest } from "./write-request.ts";
import { createHistoryWriter } from "./written-history.ts";
import type { HistoryWriter, Place } from "./written-history.ts";

/** A request that can be sent repeatedly. */
export interface PreparedCall {
  readonly model: string;
  readonly provider: Provider;
  /** The host, if only it can read its own signatures. */
  readonly server: string | undefined;
  readonly fetch: Fetch;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly target: RequestTarget;
  readonly names: ToolNames;
  readonly secrets: Secrets;
  readonly timeouts: ModelTimeouts;
}

/** The requested model. */
export interface Target {
  readonly model: string;
  readonly id: string;
  readonly provider: Provider;
  readonly options: HttpModelOptions;
  /** Caches what it has written for this model. */
  readonly write: HistoryWriter;
}

/** Prepares a request: address, key and body. */
export async function prepareCall(target: Target, request: ModelRequest): Promise<PreparedCall> {
  const { provider, id, options, model, write } = target;
  const env = options.env ?? processEnvironment();
  const key = await keyFor(target, env);
  const base = baseOf(target, env);
  const place = placeOf(provider, base);
  const wire = writeRequest(provider, { id, options, request }, { write, place });
  const headers = {
    "content-type": "application/json",
    ...provider.headers(key),
    ...lowered(options.headers),
  };
  return {
    model,
    provider,
    server: place.server,
    fetch: options.fetch ?? globalThis.fetch,
    url: provider.url(base, id),
    headers,
    body: jsonBody(wire),
    target: targetAt(target, { base, env }),
    names: toolNames(request.tools, wire),
    secrets: secretsOf(key, headers, base),
    timeouts: { ...provider.timeouts, ...options.timeouts },
  };
}

const baseOf = ({ provider, options }: Pick<Target, "provider" | "options">, env: Environment): string =>
  options.baseURL ?? variableIn(env, provider.baseVariables) ?? provider.baseURL;

/** A request as it would be sent, without a key. */
export function writtenRequest(target: Omit<Target, "write">, request: ModelRequest): WrittenRequest {
  const { provider, id, options } = target;
  const env = options.env ?? processEnvironment();
  const base = baseOf(target, env);
  const write = createHistoryWriter(provider, id); // that of the model caches what was sent
  const body = writeRequest(provider, { id, options, request }, { write, place: placeOf(provider, base) });
  return { format: provider.format, body, target: targetAt(target, { base, env }) };
}

/** The address and the headers of requests, without secrets. */
function targetAt(
  target: Omit<Target, "write" | "model">,
  { base, env }: { readonly base: string; readonly env: Environment },
): RequestTarget {
  const { provider, id, options } = target;
  const headers = lowered(options.headers);
  const isSent = hasKey(target, env) || (provider.needsKey !== false && !hasKeyHeader(headers));
  const key = isSent ? (provider.keyVariables[0] ?? "API_KEY") : undefined;
  const sent = { "content-type": "application/json", ...provider.headers(key === undefined ? undefined : `$${key}`) };
  return requestTarget({ url: provider.url(base, id), sent, key, own: headers });
}

/** True if requests to this model can ask for a prompt cache. */
export function takesCache({ provider, id, options }: Omit<Target, "write">): boolean {
  if (provider.cache === undefined) return false;
  const base = baseOf({ provider, options }, options.env ?? processEnvironment());
  return provider.cache.isFor?.(id, URL.canParse(base) ? new URL(base).hostname : undefined) ?? true;
}

/** The rules that apply at an address, and the host if several servers share the format. */
function placeOf({ profile, profileAt }: Provider, base: string): Place {
  if (profileAt === undefined || !URL.canParse(base)) return { profile, server: undefined };
  const { host } = new URL(base);
  return { profile: profileAt(host), server: host };
}

const keyHeaders = /^(?:authorization|x-api-key|api-key|x-goog-api-key)$/u;

const hasKeyHeader = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => keyHeaders.test(name));

/** True if a key is given, as far as it is known without calling a function. */
const hasKey = ({ provider, options }: Pick<Target, "provider" | "options">, env: Environment): boolean =>
  options.apiKey === undefined ? variableIn(env, provider.keyVariables) !== undefined : options.apiKey !== "";

async function keyFor({ provider, options, model }: Target, env: Environment): Promise<string | undefined> {
  const { apiKey, headers } = options;
  const given: unknown = typeof apiKey === "function" ? await apiKey() : apiKey; // a function may return anything
  const own = typeof given === "string" ? given.trim() : "";
  const key = given === undefined ? variableIn(env, provider.keyVariables) : own === "" ? undefined : own;
  if (key !== undefined && !/^[\x21-\x7e]+$/u.test(key)) {
    const message = "the key has invalid characters";
    throw new UndangleError("model/auth", { model, message, canRetry: false });
  }
  const missing = key === undefined ? missingKey({ provider, headers, model }) : undefined;
  if (missing !== undefined) throw missing;
  return key;
}

/** The error of a missing key, as far as it is known without calling a function. */
export function keyFault({ provider, options, model }: Omit<Target, "write" | "id">): UndangleError | undefined {
  const { headers, env = processEnvironment() } = options;
  return hasKey({ provider, options }, env) ? undefined : missingKey({ provider, headers, model });
}

function missingKey({
  provider,
  headers,
  model,
}: Pick<Target, "provider" | "model"> & Pick<HttpModelOptions, "headers">): UndangleError | undefined {
  if (hasKeyHeader(lowered(headers)) || provider.needsKey === false) return undefined;
  const variables = provider.keyVariables;
  return new UndangleError("model/auth", { model, message: "there is no key", variables, canRetry: false });
}

/** Header names are case-insensitive, and only one may be sent. */
const lowered = (headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
