import type { FastifyInstance } from "fastify";
import type { Language } from "undangle";

import { isLoopback } from "./access/guard-origin.ts";
import { canShare, demandFree, openSockets } from "./open-sockets.ts";

/** The address and port of a server. */
export interface Place {
  readonly port: number;
  readonly host: string;
  /** True if other processes may share the port. The system distributes the connections. */
  readonly isShared?: boolean | undefined;
}

/** Listens at an address. An error states the cause and what to do. */
export async function listen(
  app: FastifyInstance,
  { port, host, isShared = false }: Place,
  language: Language,
): Promise<string> {
  const words = texts[language];
  if (isShared && !canShare) throw new Error(words.noSharing);
  if (!isLoopback(host) && !(await app.service.keys.isNeeded())) throw new Error(words.needsKey(host));
  try {
    const place = { port, host, backlog: 4096 }; // a burst of connections must not be refused
    if (!isShared) await demandFree(place);
    return await openSockets(app, place);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw new Error(words.taken(port), { cause: error });
    if (code === "EACCES") throw new Error(words.forbidden(port), { cause: error });
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") throw new Error(words.nowhere(host), { cause: error });
    throw error;
  }
}

interface Words {
  readonly needsKey: (host: string) => string;
  readonly taken: (port: number) => string;
  readonly forbidden: (port: number) => string;
  readonly nowhere: (host: string) => string;
  readonly noSharing: string;
}

const texts: Readonly<Record<Language, Words>> = {
  en: {
    needsKey: (host) =>
      `Without keys the server listens only on this machine, not at ${host}. Create a key first: undangle keys create --name NAME`,
    taken: (port) => `Port ${port} is in use. Choose another with --port or PORT, for example PORT=4200.`,
    forbidden: (port) => `Permission denied for port ${port}. Choose another with --port.`,
    nowhere: (host) => `This machine has no address ${host}. Choose another with --host.`,
    noSharing: "Processes can share a port only on Linux. Omit --share-port, and give each process its own port.",
  },
  zh: {
    needsKey: (host) =>
      `没有密钥时，服务器只接受本机的请求，不能监听 ${host}。请先创建密钥：undangle keys create --name 名称`,
    taken: (port) => `端口 ${port} 已被占用。请用 --port 指定其他端口，或设置环境变量：PORT=4200。`,
    forbidden: (port) => `端口 ${port} 不允许使用；请用 --port 指定其他端口。`,
    nowhere: (host) => `本机没有地址 ${host}；请用 --host 指定其他地址。`,
    noSharing: "只有 Linux 支持多个进程共用一个端口。请去掉 --share-port，并为每个进程指定各自的端口。",
  },
};
