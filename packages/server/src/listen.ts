import type { FastifyInstance } from "fastify";
import type { Language } from "undangle";

import { isLoopback } from "./access/guard-origin.ts";
import { canShare, demandFree, openSockets } from "./open-sockets.ts";

/** Where a server listens. */
export interface Place {
  readonly port: number;
  readonly host: string;
  /** True where other processes may listen at the same port; the system spreads connections over them. */
  readonly isShared?: boolean | undefined;
}

/** Listens at a place; an error says, to a person, why that cannot be and what to do. */
export async function listen(
  app: FastifyInstance,
  { port, host, isShared = false }: Place,
  language: Language,
): Promise<string> {
  const words = texts[language];
  if (isShared && !canShare) throw new Error(words.noSharing);
  if (!isLoopback(host) && !(await app.service.keys.isNeeded())) throw new Error(words.needsKey(host));
  try {
    const place = { port, host, backlog: 4096 }; // of many who come at once none is refused
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
      `Without keys the server is reachable from this machine only, and not at ${host}. Make a key first: undangle keys create --name NAME`,
    taken: (port) => `Port ${port} is taken. Give another with --port, or with PORT in the environment: PORT=4200.`,
    forbidden: (port) => `Port ${port} may not be used; give another with --port.`,
    nowhere: (host) => `This machine has no address ${host}; give another with --host.`,
    noSharing: "Several processes share a port on Linux only. Leave out --share-port, and give each a port of its own.",
  },
  zh: {
    needsKey: (host) =>
      `没有密钥时，服务器只应答本机，不能监听 ${host}。请先创建密钥：undangle keys create --name 名称`,
    taken: (port) => `端口 ${port} 已被占用。请用 --port 指定其他端口，或设置环境变量：PORT=4200。`,
    forbidden: (port) => `端口 ${port} 不允许使用；请用 --port 指定其他端口。`,
    nowhere: (host) => `本机没有地址 ${host}；请用 --host 指定其他地址。`,
    noSharing: "只有 Linux 支持多个进程共用一个端口。请去掉 --share-port，并为每个进程指定各自的端口。",
  },
};
