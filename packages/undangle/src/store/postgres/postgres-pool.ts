import { UndangleError } from "#core";

/** The part of a `pg` `Pool` that a store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  /** A connection is about to be acquired. */
  on(event: "acquire", listener: (client: PostgresClient) => void): unknown;
  /** The options of the pool. Only the server, the database and the size are read. */
  readonly options?: object;
  readonly ending?: boolean;
}

/** A connection of a pool. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresAnswer>;
  /** Returns it; a broken connection is removed. */
  release(isBroken?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /** A notification arrived. */
  on(
    event: "notification",
    listener: (notification: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown;
  /** Whether the connection keeps the process alive. */
  ref?(): void;
  unref?(): void;
}

/** A statement; the server caches the plan of a named one. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
}

export interface PostgresAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** No connection was available, so nothing was sent. */
export class NoConnection extends Error {}

/** Sends one statement as a transaction in one round trip. */
export function send(pool: PostgresPool, statement: PostgresStatement): Promise<PostgresAnswer> {
  return withClient(pool, (client) => client.query(statement));
}

/** Runs work in a transaction. */
export function inTransaction<Value>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<Value>,
): Promise<Value> {
  return withClient(pool, async (client) => {
    await client.query({ text: "BEGIN" });
    const value = await work(client);
    await client.query({ text: "COMMIT" });
    return value;
  });
}

async function withClient<Value>(pool: PostgresPool, work: (client: PostgresClient) => Promise<Value>): Promise<Value> {
  const client = await connect(pool);
  let isBroken = true;
  try {
    const value = await work(client);
    isBroken = false;
    return value;
  } finally {
    client.release(isBroken); // also after a failed statement: a new connection has no open transaction
  }
}

export async function connect(pool: PostgresPool): Promise<PostgresClient> {
  ignorePoolErrors(pool);
  const client = await pool.connect().catch((error: unknown) => {
    throw new NoConnection("There is no connection.", { cause: error });
  });
  if (isLent(client)) {
    ignoreErrors(client);
    return client;
  }
  const value = "an object without connect(), such as a Client";
  throw new UndangleError("options/value", { option: "pool", value, allowed: poolsAllowed });
}

/** Untyped programs may pass an object that only resembles a pool. */
const isLent = (client: unknown): boolean =>
  typeof client === "object" && client !== null && "release" in client && typeof client.release === "function";

/** The allowed values. */
export const poolsAllowed: readonly string[] = ["new Pool({ connectionString }) from the package pg"];

/**
 * A broken idle connection emits an event on the pool, which would end a process without a listener. It may break
 * between its acquisition and its first use.
 */
function ignorePoolErrors(pool: PostgresPool): void {
  if (withListener.has(pool)) return;
  ignoreErrors(pool);
  pool.on("acquire", ignoreErrors);
}

const withListener = new WeakSet<object>();

function ignoreErrors(source: PostgresPool | PostgresClient): void {
  if (withListener.has(source)) return;
  withListener.add(source);
  source.on("error", ignore);
}

/** The pending query reports the error, and the pool opens a new connection. */
const ignore = (): void => undefined;
