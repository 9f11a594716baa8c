import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * When a connection is cut. `before`: what was sent never comes to the server. `after`: the server has done it, and its answer
 * never comes back. `late`: the connection is cut, and the server hears what was sent a while later.
 */
export type Cut = "before" | "after" | "late";

/** Stands between a client and a server, and cuts connections. */
export interface CuttingProxy {
  readonly url: string;
  /** Cuts the next connection that sends this text; others wait until what happens meanwhile is over. */
  readonly cutAt: (text: string, cut: Cut, meanwhile?: () => Promise<unknown>) => void;
  /** How often it has cut. */
  readonly cuts: () => number;
  readonly close: () => Promise<void>;
}

/** Opens a proxy to the server at an address. */
export async function openProxy(target: string): Promise<CuttingProxy> {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let armed: { readonly text: string; readonly cut: Cut; readonly meanwhile: () => Promise<unknown> } | undefined;
  let calm: Promise<unknown> = Promise.resolve();
  let count = 0;

  const link = (client: Socket): void => {
    const server = connect(Number(port), hostname);
    let isCut = false;
    let isHeard = false; // the server has the text, and what it says next is its answer
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined); // the other side hears of it when it closes
      socket.on("close", () => {
        sockets.delete(socket);
        if (!isCut) (socket === client ? server : client).destroy();
      });
    }
    const cutHere = ({ meanwhile }: NonNullable<typeof armed>): void => {
      isCut = true;
      count++;
      calm = meanwhile();
      client.destroy();
    };
    let sent = "";
    client.on("data", (data: Buffer) => {
      sent = (sent + data.toString("latin1")).slice(-100_000);
      if (armed === undefined || !sent.includes(armed.text)) return void server.write(data);
      if (armed.cut === "after") {
        isHeard = true;
        return void server.write(data);
      }
      const { cut } = armed;
      cutHere(armed);
      armed = undefined;
      if (cut === "before") return void server.destroy();
      void pause(150).then(() => {
        server.write(data);
        return pause(150).then(() => server.destroy());
      });
    });
    server.on("data", (data: Buffer) => {
      if (isCut) return;
      if (!isHeard || armed === undefined) return void client.write(data);
      cutHere(armed);
      armed = undefined;
      server.destroy();
    });
  };

  const proxy = createServer((client) => void calm.then(() => link(client)));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const own = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: Object.assign(new URL(target), { port: own }).href,
    cutAt(text, cut, meanwhile = () => Promise.resolve()) {
      armed = { text, cut, meanwhile };
    },
    cuts: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}
