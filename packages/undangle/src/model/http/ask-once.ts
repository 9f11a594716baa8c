import { assemble } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { StreamPart } from "#core";

import type { ModelRequest } from "../model.ts";
import type { Attempt } from "./ask-again.ts";
import { failureOf } from "./failure.ts";
import { faultInTurn } from "./judge-turn.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { bodyText, endings, watchedBody } from "./read-body.ts";
import { sealedBy } from "./sealed-by.ts";
import type { Secrets } from "./secrets.ts";
import { spokenThoughts } from "./spoken-thoughts.ts";
import { unreachable } from "./unreachable.ts";
import { createWatch, orAborted } from "./watch.ts";

/** Sends a request once. Yields its parts, and returns the turn or an error. */
export async function* askOnce(prepared: Promise<PreparedCall>, request: ModelRequest, signal: AbortSignal): Attempt {
  const call = await orAborted(prepared, signal); // a key may have to be fetched
  const { model, secrets, names, provider, server, timeouts } = call;
  const { onExchange } = request;
  const watch = createWatch(signal, timeouts);
  let received = (): string => "";
  try {
    watch.enter("connect");
    const response = await send(call, watch);
    if (response instanceof UndangleError) return response;
    watch.enter("first-byte");
    if (!response.ok) {
      const text = await bodyText(response.body, watch);
      received = () => text;
      return failureOf({ model, status: response.status, headers: response.headers, text, hide: secrets.hide });
    }
    const { format } = provider;
    const longest = onExchange === undefined ? undefined : longestRecorded;
    const body = watchedBody(response.body, watch, { ending: endings[format], longest });
    received = () => body.opening();
    const stream = assemble(body, { format, tools: names.offered, knownIds: request.knownIds });
    const thoughts = provider.thinksAloud === true ? spokenThoughts() : undefined;
    const seals = server === undefined ? undefined : sealedBy(server);
    let last: StreamPart | undefined;
    for await (const given of stream) {
      for (const said of thoughts?.part(given) ?? [given]) {
        const part = names.part(seals?.part(said) ?? said);
        if (part.type === "finish") last ??= part;
        else yield part;
      }
    }
    const given = await stream.turn();
    const said = thoughts?.turn(given) ?? given;
    const turn = seals?.turn(said) ?? said;
    const fault = faultInTurn(turn, { model, watch, secrets, response, opening: body.opening() });
    if (fault !== undefined) return fault;
    if (last !== undefined) yield last; // only now it is known to be the last
    return names.turn(turn);
  } finally {
    watch.close();
    const recorded = (text: string): string => secrets.hide(text).slice(0, longestRecorded);
    const { format } = provider;
    const { target } = call;
    onExchange?.({ model, format, target, request: recorded(call.body), response: recorded(received()) });
  }
}

/** The longest text that is recorded, in characters. */
const longestRecorded = 1_000_000;

/** The response up to its headers, or an error. */
async function send(
  { fetch, url, headers, body, model, secrets }: PreparedCall,
  watch: ReturnType<typeof createWatch>,
): Promise<Response | UndangleError> {
  let asked: Promise<Response> | undefined;
  try {
    const { signal } = watch;
    // A redirect is reported, not followed, so that no other server gets the key.
    asked = Promise.resolve(fetch(url, { method: "POST", headers, body, signal, redirect: "manual" }));
    const response = await watch.orEnded(asked);
    if (!isResponse(response)) return noResponse(model);
    return redirected(response, model, secrets);
  } catch (error) {
    asked?.then(giveUp, () => undefined); // a custom fetch that ignores the signal may still open a connection
    return unreachable(error, { model, watch, secrets });
  }
}

/** A custom `fetch` may return anything, including the response class of an older library. */
function isResponse(value: unknown): boolean {
  if (!isRecord(value) || typeof value["status"] !== "number" || !isRecord(value["headers"])) return false;
  const { body } = value;
  return body === null || (isRecord(body) && typeof body["getReader"] === "function");
}

function noResponse(model: string): UndangleError {
  const message = "the option fetch must return a Response whose body is a stream";
  return new UndangleError("model/unreachable", { model, message, canRetry: false });
}

function redirected(response: Response, model: string, { hide }: Secrets): Response | UndangleError {
  const { status, headers } = response;
  if (status < 300 || status >= 400) return response;
  giveUp(response);
  const message = `the server redirects to ${headers.get("location") ?? "another address"}; set baseURL to that address`;
  return new UndangleError("model/refused", { model, message: hide(message), status, canRetry: false });
}

function giveUp(response: Response): void {
  if (!isResponse(response) || response.body === null || response.body.locked) return;
  response.body.cancel().catch(() => undefined); // it is already closed
}
