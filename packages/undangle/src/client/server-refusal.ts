/** What a server has refused: its status, a code to branch on, and the parameter that it is about. */
export class ServerRefusal extends Error {
  static {
    Object.defineProperty(this, "name", { value: "ServerRefusal" }); // also where names were made short
  }

  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, about: Pick<ServerRefusal, "status" | "code" | "param" | "requestId">) {
    super(message);
    this.name = "ServerRefusal";
    this.status = about.status;
    this.code = about.code;
    this.param = about.param;
    this.requestId = about.requestId;
  }
}

/** What an answer that is no success says. */
export async function refusalOf(answer: Response): Promise<ServerRefusal> {
  const { status, headers } = answer;
  const text = await answer.text();
  const { message, code, param } = errorIn(text);
  return new ServerRefusal(typeof message === "string" ? message : `The server answered with ${status}.`, {
    status,
    code: typeof code === "string" ? code : "unknown",
    param: typeof param === "string" ? param : undefined,
    requestId: headers.get("x-request-id") ?? undefined,
  });
}

function errorIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const { error } = JSON.parse(text) as { readonly error?: Readonly<Record<string, unknown>> }; // whatever it is, it may have one
    return typeof error === "object" ? error : {};
  } catch {
    return {}; // a proxy on the way may answer anything
  }
}
