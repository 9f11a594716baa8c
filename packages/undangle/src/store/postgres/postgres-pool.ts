import { UndangleError } from "#core";

/** As much of a `Pool` of the package `pg` as a store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
  /** It is about to lend a connection. */
  on(event: "acquire", listener: (client: PostgresClient) => void): unknown;
  /** What the pool was made with; only the names of the server and the database and its size are read from it. */
  readonly options?: object;
  /** True when it is told to end. */
  readonly ending?: boolean;
}

/** A connection that a pool lends. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresAnswer>;
  /** Gives it back; one that is of no use any more is thrown away. */
  release(isBroken?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  /** Another connection has told something to all that listen. */
  on(
    event: "notification",
    listener: (told: { readonly channel: string; readonly payload?: string | undefined }) => void,
  ): unknown;
  /** The process goes on for its sake, as it does from the beginning, or does not. */
  ref?(): void;
  unref?(): void;
}

/** What is sent; with a name, the server keeps how it is done. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
}

/** What came of a statement. */
export interface PostgresAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** There was no connection to send something by: whatever it was, it has not happened. */
export class NoConnection extends Error {}

/** Sends one statement, which is a transaction of its own, in one round trip. */
export function send(pool: PostgresPool, statement: PostgresStatement): Promise<PostgresAnswer> {
  return withClient(pool, (client) => client.query(statement));
}

/** Does some work in a transaction: all of it, or nothing. */
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
    client.release(isBroken); // also when only the statement has failed: a new connection has no old transaction
  }
}

/** Borrows a connection. */
export async function connect(pool: PostgresPool): Promise<PostgresClient> {
  hearPool(pool);
  const client = await pool.connect().catch((error: unknown) => {
    throw new NoConnection("There is no connection.", { cause: error });
  });
  if (isLent(client)) {
    hear(client);
    return client;
  }
  const value = "an object without connect(), such as a Client";
  throw new UndangleError("options/value", { option: "pool", value, allowed: poolsAllowed });
}

/** In programs without types, what looks like a pool may be something else. */
const isLent = (client: unknown): boolean =>
  typeof client === "object" && client !== null && "release" in client && typeof client.release === "function";

/** What a store can be made of. */
export const poolsAllowed: readonly string[] = ["new Pool({ connectionString }) from the package pg"];

/**
 * A connection that breaks is an event, of the pool while nobody uses it, and would end a process that does not listen. It may
 * break between the moment when it is lent and the one when whoever asked for it goes on.
 */
function hearPool(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  hear(pool);
  pool.on("acquire", hear);
}

const heard = new WeakSet<object>();

function hear(source: PostgresPool | PostgresClient): void {
  if (heard.has(source)) return;
  heard.add(source);
  source.on("error", ignore);
}

/** Whoever waits for a connection hears of it by what they wait for; the pool makes a new one. */
const ignore = (): void => undefined;
