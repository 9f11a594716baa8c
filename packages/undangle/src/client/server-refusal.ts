import type { CallState, PendingCall, ShownDecision } from "#engine";

/** A call whose decision was refused, as it is now. */
export interface RefusedCall {
  readonly id: string;
  /** Why the decision was refused. */
  readonly problem: string;
  /** Absent if there is no such call. */
  readonly status?: CallState;
  /** What was decided before, when and by whom. */
  readonly decision?: ShownDecision;
  /** Present if the call still waits. If the digest differs from that of the decision, the call has changed. */
  readonly pending?: PendingCall;
}

/** An error response of a server: its status, code and parameter. */
export class ServerRefusal extends Error {
  static {
    Object.defineProperty(this, "name", { value: "ServerRefusal" }); // also in minified code
  }

  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  /** The thread at fault, if the response names one. */
  readonly threadId: string | undefined;
  /**
   * True if another attempt would be refused too. A response that is not in the form of the server comes from a proxy,
   * for example while the server restarts.
   */
  readonly isFinal: boolean;
  /** The calls whose decisions were refused, with `decision/refused`. No decision of the request was applied. */
  readonly calls: readonly RefusedCall[];

  constructor(
    message: string,
    about: Pick<ServerRefusal, "status" | "code" | "param" | "requestId"> &
      Partial<Pick<ServerRefusal, "threadId" | "calls">>,
  ) {
    super(message);
    this.name = "ServerRefusal";
    this.status = about.status;
    this.code = about.code;
    this.param = about.param;
    this.requestId = about.requestId;
    this.threadId = about.threadId;
    this.calls = about.calls ?? [];
    this.isFinal = this.code !== unknownCode && this.status < 500 && this.status !== 429;
  }
}

/** The code of a response that has none. */
const unknownCode = "unknown";

/** The error of an unsuccessful response. */
export async function refusalOf(response: Response): Promise<ServerRefusal> {
  const { status, headers } = response;
  const text = await response.text();
  const { error, undangle } = bodyIn(text);
  const { message, code, param } = error;
  return new ServerRefusal(typeof message === "string" ? message : `The server responded with ${status}.`, {
    status,
    code: typeof code === "string" ? code : unknownCode,
    param: typeof param === "string" ? param : undefined,
    requestId: headers.get("x-request-id") ?? undefined,
    threadId: typeof undangle["thread_id"] === "string" ? undangle["thread_id"] : undefined,
    calls: Array.isArray(undangle["calls"]) ? (undangle["calls"] as readonly RefusedCall[]) : [], // the server writes this type
  });
}

type Fields = Readonly<Record<string, unknown>>;

function bodyIn(text: string): { readonly error: Fields; readonly undangle: Fields } {
  try {
    const body: unknown = JSON.parse(text);
    const { error, undangle } = fieldsOf(body);
    return { error: fieldsOf(error), undangle: fieldsOf(undangle) };
  } catch {
    return { error: {}, undangle: {} }; // a proxy may return anything
  }
}

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {}); // an object has keys
