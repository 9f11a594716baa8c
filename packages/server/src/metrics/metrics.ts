import type { FastifyInstance } from "fastify";

import type { Commit } from "../projects/store/watched-store.ts";
import { createRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";

export interface Metrics {
  readonly registry: Registry;
  /** Counts the events of a saved commit. */
  saved(commit: Commit): void;
  /** Counts the edits of a request's history by rule. */
  repaired(rules: readonly string[]): void;
  /** Records the time to the first byte of a chat. */
  firstByte(seconds: number): void;
  /** Counts the requests of a server. */
  watch(app: FastifyInstance): void;
}

export interface MetricsOptions {
  /** The server's tools. Client tools are counted together, because their names are arbitrary. */
  readonly tools: () => ReadonlySet<string>;
  /** The number of running runs. */
  readonly runs: () => number;
  /** The duration of an iteration of the event loop, in seconds. */
  readonly turn: () => number;
}

const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics({ tools, runs: running, turn }: MetricsOptions): Metrics {
  const registry = createRegistry();
  const requests = registry.counter("undangle_http_requests_total", "Requests by route and status.");
  const durations = registry.histogram("undangle_http_request_seconds", "Duration of responses.", seconds);
  const runs = registry.counter("undangle_runs_total", "Runs by outcome.");
  const calls = registry.counter("undangle_tool_calls_total", "Tool calls by tool and outcome.");
  const repairs = registry.counter("undangle_repairs_total", "Repairs by rule.");
  const discarded = registry.counter("undangle_answers_discarded_total", "Responses that the client abandoned.");
  const firstBytes = registry.histogram(
    "undangle_first_byte_seconds",
    "Time to the first byte of a chat response.",
    seconds,
  );
  let open = 0;
  registry.gauge("undangle_runs_open", "Runs in progress.", running);
  registry.gauge("undangle_http_requests_open", "Requests in progress.", () => open);
  registry.gauge("undangle_event_loop_lag_seconds", "Mean delay of the event loop.", turn);
  registry.gauge("undangle_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
  const toolLabel = (name: string): string => (tools().has(name) ? name : "other");
  return {
    registry,
    repaired(rules) {
      for (const rule of rules) repairs.add({ rule });
    },
    firstByte: (taken) => firstBytes.observe(taken),
    saved({ events, head }) {
      for (const { type, data } of events) {
        const { status, rule, name } = data as Readonly<Record<string, unknown>>; // any of its fields
        if (type === "run_end" && head.parent !== undefined) continue; // part of the run of its parent
        if (type === "run_end") runs.add({ status: String(status) });
        else if (type === "tool_call_end") calls.add({ tool: toolLabel(String(name)), outcome: String(status) });
        else if (type === "repair") repairs.add({ rule: String(rule) });
        else if (type === "model_discarded") discarded.add();
      }
    },
    watch(app) {
      app.addHook("onRequest", (request, reply, done) => {
        open++;
        reply.raw.once("close", () => {
          open--; // also for clients that have left
          const { writableEnded, statusCode } = reply.raw;
          const labels = { method: request.method, route: request.routeOptions.url ?? "unknown" };
          requests.add({ ...labels, status: writableEnded ? String(statusCode) : "left" });
          durations.observe(reply.elapsedTime / 1000, labels);
        });
        done();
      });
    },
  };
}
