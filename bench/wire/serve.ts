// Serves the streams of the benchmark from a process of its own, so that what it takes is not counted.
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { wireOf } from "../streams/wire.ts";
import type { WireOptions } from "../streams/wire.ts";

/** What is asked for, in the search of the address. */
export interface Asked extends WireOptions {
  /** Sends so many pieces, and then nothing until the client goes. */
  readonly stopsAfter?: number;
}

const known = new Map<string, readonly Uint8Array[]>();

function piecesFor({ stopsAfter: _stop, ...asked }: Asked): readonly Uint8Array[] {
  const key = JSON.stringify(asked);
  const pieces = known.get(key) ?? wireOf(asked).pieces;
  known.set(key, pieces);
  return pieces;
}

const server = createServer((request, response) => {
  request.resume();
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const asked = JSON.parse(searchParams.get("asked") ?? "null") as Asked; // this benchmark's own
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.socket?.setNoDelay(true);
  send(response, piecesFor(asked).slice(0, asked.stopsAfter), asked.stopsAfter === undefined);
});

/** One piece at a turn of the loop, so that they are written one by one. */
function send(response: ServerResponse, pieces: readonly Uint8Array[], isWhole: boolean): void {
  let next = 0;
  const more = (): void => {
    const piece = pieces[next++];
    if (piece === undefined) {
      if (isWhole) response.end();
    } else if (response.write(piece)) setImmediate(more);
    else response.once("drain", more);
  };
  more();
}

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port)); // it listens on a port
process.once("disconnect", () => process.exit());
