import { memoryStore } from "undangle/agent";
import type { AgentConfig, Config } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import type { ScriptedModel } from "undangle/testing";
import { afterEach } from "vitest";

import { createServer } from "../src/index.ts";
import type { ServerOptions } from "../src/index.ts";

type App = ReturnType<typeof createServer>;

const open: App[] = [];

afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

export interface Served {
  readonly app: App;
  readonly model: ScriptedModel;
  /** Asks without a port. */
  readonly call: (
    method: Method,
    url: string,
    payload?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered>;
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE" | "PUT";

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly turns?: Parameters<typeof scriptedModel>[0];
  readonly agent?: AgentConfig;
  readonly config?: Config;
  readonly options?: ServerOptions;
}

/** A server with one agent, `helper`, whose model says what a script says. */
export function serve({ turns = [], agent = {}, config, options = {} }: Stage = {}): Served {
  const model = scriptedModel(turns, { loop: true });
  const app = createServer({
    store: memoryStore(),
    config: config ?? { agents: { helper: { model, ...agent } } },
    folder: import.meta.dirname,
    env: {},
    ...options,
    limits: { turn: Infinity, ...options.limits }, // tests share the event loop with the server
  });
  open.push(app);
  return {
    app,
    model,
    async call(method, url, payload, headers = {}) {
      const answer = await app.inject({
        method,
        url,
        headers,
        ...(payload !== undefined && { payload: payload as object }),
      });
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: answer.body,
        body: isJson ? answer.json<Answered["body"]>() : {},
      };
    },
  };
}
