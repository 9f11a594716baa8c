import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setImmediate as breath, setTimeout as pause } from "node:timers/promises";

import type { FaultName, WireFormat } from "undangle/testing";
import { judgeWire } from "../../src/testing/judge/judge.ts";
import { bytesOf } from "../../src/testing/play/bytes.ts";
import { playTurn } from "../../src/testing/play/play-turn.ts";
import type { Played } from "../../src/testing/play/played.ts";
import { refusalOf } from "../../src/testing/refusal.ts";
import { routeOf } from "../../src/testing/route.ts";
import type { Turn } from "../../src/testing/scripted-turn.ts";
import type { Random } from "../judge/random.ts";
import { marksIn } from "./ear.ts";
import type { Ear } from "./ear.ts";

/** What happens to one request. */
export interface Scene {
  readonly turn: Turn;
  readonly faults: readonly FaultName[];
  /** An answer that is no success. */
  readonly status?: number;
  /** Behind an error inside the stream, the connection stays open until the client closes it. */
  readonly lingers: boolean;
  /** Decides how the bytes are cut. */
  readonly random: Random;
  readonly ear: Ear;
  /** Is told every piece that is sent. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** Who is asked what comes next. */
export interface Stage {
  /** False for a request that its sender has given up in the meantime. */
  readonly isAwaited: (headers: IncomingHttpHeaders) => boolean;
  readonly provider: () => string | undefined;
  readonly play: (format: WireFormat) => Scene;
  /** Is told of a body that the provider refuses. */
  readonly refuse: (body: unknown, reason: string) => void;
}

/**
 * A server like `wireServer()`, which in addition waits behind every piece of text until the client has heard it: a text that
 * is held back anywhere holds up everything.
 */
export interface WaitingServer {
  readonly url: string;
  stage: Stage | undefined;
  /** The marks that nobody has heard yet, of those that were sent. */
  readonly unheard: () => readonly string[];
  /** How many answers are on their way. */
  readonly open: () => number;
  /** How many connections there are when those that rest are closed. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function waitingServer(): Promise<WaitingServer> {
  const open = new Set<ServerResponse>();
  const unheard = new Map<ServerResponse, readonly string[]>();
  const server = createServer((request, response) => {
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      unheard.delete(response);
    });
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { stage } = result;
    const route = routeOf(request.url ?? "");
    const body: unknown = JSON.parse(await textOf(request));
    if (route === undefined || stage === undefined) throw new Error(`Nobody expects ${request.url ?? ""}.`);
    if (!stage.isAwaited(request.headers)) {
      response.destroy();
      return;
    }
    const { format, model } = route;
    const provider = stage.provider();
    const named = model === undefined ? body : { ...(body as object), model };
    const [verdict] = judgeWire(named, { format, ...(provider !== undefined && { provider }) });
    if (verdict !== undefined) stage.refuse(body, `${verdict.id} at ${verdict.path}`);
    const scene = verdict === undefined ? stage.play(format) : undefined;
    const status = scene === undefined ? 400 : scene.status;
    if (scene === undefined || status !== undefined) {
      const refusal = refusalOf(format, status ?? 400, "No.");
      response.writeHead(refusal.status, refusal.headers).end(JSON.stringify(refusal.body));
      return;
    }
    const played = playTurn(scene.turn, format, scene.faults);
    await send(played, scene, response);
  };

  const send = async (
    played: Played,
    { random, ear, lingers, onBytes }: Scene,
    response: ServerResponse,
  ): Promise<void> => {
    const gone = once(response, "close");
    const { kind, cutAt } = played.transport;
    response.writeHead(200, { "content-type": kind === "lines" ? "application/x-ndjson" : "text/event-stream" });
    for (const { bytes, marks } of piecesOf(played, random)) {
      if (response.destroyed) return;
      response.write(bytes);
      onBytes(bytes);
      let missing = marks;
      for (;;) {
        const heard = ear.text();
        missing = missing.filter((mark) => !heard.includes(mark));
        if (missing.length === 0 || response.destroyed) break;
        unheard.set(response, missing);
        await Promise.race([ear.more(), gone]);
      }
      unheard.delete(response);
      if (random.chance(0.2)) await breath();
    }
    if (lingers) await gone;
    if (cutAt === undefined) response.end();
    else {
      await pause(2); // what was written has to get there
      response.destroy();
    }
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // not a pipe
  const result: WaitingServer = {
    url: `http://127.0.0.1:${port}`,
    stage: undefined,
    unheard: () => [...unheard.values()].flat(),
    open: () => open.size,
    connections() {
      server.closeIdleConnections();
      return new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return result;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** The marks of all events that end in it, or before. */
  readonly marks: readonly string[];
}

/** The bytes of a stream in pieces of any size. */
function piecesOf(played: Played, random: Random): readonly Piece[] {
  const { cutAt, pieceSize } = played.transport;
  const writes = bytesOf({ ...played, transport: { ...played.transport, cutAt: undefined, pieceSize: undefined } });
  const ends: number[] = [];
  for (const { length } of writes) ends.push((ends.at(-1) ?? 0) + length);
  const total = ends.at(-1) ?? 0;
  const last = cutAt === undefined ? total : Math.floor(total * cutAt);
  const all = Buffer.concat(writes).subarray(0, last);
  const size = pieceSize ?? random.pick([undefined, undefined, 1 + random.below(30), 200, 1_000_000]);
  const pieces: Piece[] = [];
  const marks: string[] = [];
  let from = 0;
  let whole = 0; // events that have been sent
  while (from < last) {
    const next = size === undefined ? (ends.find((end) => end > from) ?? last) : from + 1 + random.below(size * 2);
    const to = Math.min(next, last);
    for (; (ends[whole] ?? Infinity) <= to; whole++)
      marks.push(...marksIn(Buffer.from(writes[whole] ?? []).toString()));
    pieces.push({ bytes: all.subarray(from, to), marks: [...marks] });
    from = to;
  }
  return pieces;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer); // a stream of bytes
  return Buffer.concat(pieces).toString("utf8");
}
