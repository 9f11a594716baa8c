import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { isRecord, parseJson, UndangleError } from "#core";

import { faultNames, faultOf } from "./faults/faults.ts";
import type { FaultName } from "./faults/faults.ts";
import type { WireFormat } from "./faults/fault.ts";
import { judgeWire } from "./judge/judge.ts";
import { bytesOf } from "./play/bytes.ts";
import { thoughtStyle } from "./play/chat-thoughts.ts";
import { playTurn } from "./play/play-turn.ts";
import { players } from "./play/players.ts";
import { randomFrom } from "./random.ts";
import { refusalOf } from "./refusal.ts";
import type { Refusal } from "./refusal.ts";
import { routeOf } from "./route.ts";
import type { Route } from "./route.ts";
import { completeTurn } from "./scripted-turn.ts";
import type { ScriptedTurn, Turn } from "./scripted-turn.ts";

export interface WireServerOptions {
  /** The turns, one per request; a function is called each time. */
  readonly turns?: readonly ScriptedTurn[] | ((request: WireRequest) => ScriptedTurn | Promise<ScriptedTurn>);
  /** The provider whose rules apply to the OpenAI formats: `mistral`, `deepseek`, … */
  readonly provider?: string;
  /** False also responds to requests that a provider would refuse. */
  readonly strict?: boolean;
  /** Adds random faults to streams, reproducible by the seed. */
  readonly faults?: { readonly seed: number; readonly rate?: number; readonly names?: readonly FaultName[] };
  /** A free port by default. */
  readonly port?: number;
}

/** A request that the server got. */
export interface WireRequest {
  readonly format: WireFormat;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStream: boolean;
  /** The reason of a refusal; undefined for a normal response. */
  readonly refused: string | undefined;
  /** The faults of its response. */
  readonly faults: readonly FaultName[];
}

/** A server on the loopback interface with six formats, as strict as the providers. */
export interface WireServer {
  readonly url: string;
  /** The base URL for an SDK of this format. */
  baseUrl(format: WireFormat): string;
  /** All requests so far. */
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

/** Starts a server that plays scripted turns to any SDK and refuses what providers refuse. */
export async function wireServer(options: WireServerOptions = {}): Promise<WireServer> {
  validate(options);
  const requests: WireRequest[] = [];
  const random = randomFrom(options.faults?.seed ?? 0);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, headers: {}, body: { error: { message: String(error) } } });
    });
  });

  const nextTurn = async (request: WireRequest): Promise<ScriptedTurn> => {
    const { turns = [{ text: "Hello." }] } = options;
    if (typeof turns === "function") return turns(request);
    const answered = requests.filter(({ refused }) => refused === undefined).length;
    const turn = turns[answered];
    if (turn === undefined)
      throw new Error(`The script has ${turns.length} turns, and this is request ${answered + 1}.`);
    return turn;
  };

  const chosenFaults = (turn: ScriptedTurn, format: WireFormat): readonly FaultName[] => {
    const { faults } = options;
    if (turn.faults !== undefined || faults === undefined || random.next() >= (faults.rate ?? 0.5))
      return turn.faults ?? [];
    const names = (faults.names ?? faultNames()).filter((name) => faultOf(name).formats.includes(format));
    const name = names[random.below(names.length)];
    return name === undefined ? [] : [name];
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(incoming);
    const route = routeOf(incoming.url ?? "/");
    if (route === undefined || incoming.method !== "POST") {
      const message = `No provider has ${incoming.method ?? ""} ${incoming.url ?? ""}.`;
      send(response, refusalOf("openai-chat", 404, message));
      return;
    }
    const { format } = route;
    const body = parseJson(text);
    if (!isRecord(body)) {
      send(response, refusalOf(format, 400, "We could not parse the JSON body of your request."));
      return;
    }
    const refused = options.strict === false ? undefined : reasonFor(body, route, options.provider);
    const isStream = streams(route, body);
    const request: WireRequest = {
      format,
      method: incoming.method,
      path: incoming.url ?? "/",
      headers: incoming.headers,
      body,
      isStream,
      refused,
      faults: [],
    };
    if (refused !== undefined) {
      requests.push(request);
      send(response, refusalOf(format, 400, refused));
      return;
    }
    const scripted = await nextTurn(request);
    const faults = isStream ? chosenFaults(scripted, format) : [];
    requests.push({ ...request, faults });
    if (scripted.delay !== undefined) await pause(scripted.delay);
    if (scripted.error !== undefined) {
      const { status, message, headers = {} } = scripted.error;
      const refusal = refusalOf(format, status, message);
      send(response, { ...refusal, headers: { ...refusal.headers, ...headers } });
      return;
    }
    const turn = {
      ...completeTurn(scripted, requests.length, modelOf(route, body)),
      style: thoughtStyle(options.provider, body),
    };
    if (isStream) await play(turn, { route, scripted, faults }, response);
    else
      send(response, {
        status: 200,
        headers: { "content-type": "application/json" },
        body: players[format].body(turn),
      });
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  const url = `http://127.0.0.1:${port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return {
    url,
    baseUrl: (format) => (format === "openai-chat" || format === "openai-responses" ? `${url}/v1` : url),
    requests,
    close,
  };
}

function validate(options: WireServerOptions): void {
  const allowed = ["turns", "provider", "strict", "faults", "port"];
  for (const option of Object.keys(options)) {
    if (!allowed.includes(option)) throw new UndangleError("options/unknown", { option, allowed });
  }
  const scripted = Array.isArray(options.turns) ? (options.turns as readonly ScriptedTurn[]) : [];
  const names = [...(options.faults?.names ?? []), ...scripted.flatMap(({ faults = [] }) => faults)];
  const unknown = names.find((name) => !faultNames().includes(name));
  if (unknown !== undefined) {
    throw new UndangleError("options/value", { option: "faults", value: unknown, allowed: faultNames() });
  }
}

/** The error of a provider for a body. */
function reasonFor(
  body: Readonly<Record<string, unknown>>,
  { format, model }: Route,
  provider?: string,
): string | undefined {
  const named =
    model === undefined || format === "ollama"
      ? body
      : { ...body, [format === "bedrock" ? "modelId" : "model"]: model };
  const verdicts = judgeWire(named, { format, ...(provider === undefined ? {} : { provider }) });
  // Compatible servers have their own error texts if known, else those of OpenAI.
  const own = verdicts.find(({ id }) => !/^(?:OAC|CMP|ORT)-/u.test(id));
  return (own ?? verdicts[0])?.text;
}

const streams = ({ format, isStream }: Route, body: Readonly<Record<string, unknown>>): boolean =>
  isStream ?? (format === "ollama" ? body["stream"] !== false : body["stream"] === true);

const modelOf = ({ model }: Route, body: Readonly<Record<string, unknown>>): string =>
  model ?? (typeof body["model"] === "string" ? body["model"] : "demo");

interface Playing {
  readonly route: Route;
  readonly scripted: ScriptedTurn;
  readonly faults: readonly FaultName[];
}

async function play(turn: Turn, { route, scripted, faults }: Playing, response: ServerResponse): Promise<void> {
  const { format, asList } = route;
  const played = playTurn(turn, format, faults);
  if (asList) played.transport.kind = "list";
  response.writeHead(200, { "content-type": contentTypes[played.transport.kind], "cache-control": "no-cache" });
  for (const piece of bytesOf(played)) {
    response.write(piece);
    if (scripted.pace !== undefined) await pause(scripted.pace);
  }
  if (played.transport.cutAt === undefined || played.transport.cutQuietly) response.end();
  else {
    // The client must receive what was written before the connection breaks.
    await pause(5);
    response.destroy();
  }
}

const contentTypes = {
  sse: "text/event-stream; charset=utf-8",
  lines: "application/x-ndjson",
  list: "application/json; charset=UTF-8",
  events: "application/vnd.amazon.eventstream",
} as const;

function send(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer); // a stream of bytes
  return Buffer.concat(pieces).toString("utf8");
}
