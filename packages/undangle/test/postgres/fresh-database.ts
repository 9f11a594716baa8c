import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { makeDatabase } from "./make-database.ts";
import type { FreshDatabase } from "./make-database.ts";
import { doorVariable } from "./shared-server.ts";
import type { SharedServer } from "./shared-server.ts";

export type { FreshDatabase } from "./make-database.ts";

const shared = await sharedServer();

/** The reason why tests with Postgres are skipped; undefined if there is a Postgres. */
export const noPostgres = shared.problem;

/** Makes a database on the server that all tests share, or on another one. */
export async function freshDatabase(server = shared.url, options = ""): Promise<FreshDatabase> {
  if (server === undefined) throw new Error(noPostgres);
  return makeDatabase(server, options);
}

/** Asks for the server that the set-up of the tests starts. */
async function sharedServer(): Promise<SharedServer> {
  const port = Number(process.env[doorVariable]);
  if (Number.isNaN(port)) throw new Error("No Postgres was set up: is shared-server.ts in globalSetup?");
  return JSON.parse(await text(connect(port, "127.0.0.1"))) as SharedServer; // written by the set-up
}
