import { check, convert, detect, explain, repair } from "undangle";
import type { RuleId } from "undangle";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { bodyText } from "../responses/read-json.ts";
import * as schemas from "./history-schemas.ts";
import { isSameWork, maskNumbers } from "./mask-numbers.ts";
import type { HistoryResponse } from "./mask-numbers.ts";
import { readErrorText, readHistory } from "./read-history.ts";
import type { HistoryRequest } from "./read-history.ts";
import { writeBounded } from "./write-bounded.ts";

/** The functions of the library for clients in other languages. Nothing is stored, and any key is sufficient. */
export function historyRoutes(app: FastifyInstance): Promise<void> {
  const { metrics, settings } = app.service;
  const longest = 4 * settings.limits.body;
  const send = (reply: FastifyReply, result: Readonly<Record<string, unknown>>): FastifyReply =>
    reply.type("application/json; charset=utf-8").send(writeBounded(result, longest));

  /** Sends what a function makes of a history, with the numbers of the history as they are written. */
  const sendExact = (
    reply: FastifyReply,
    request: FastifyRequest<HistoryRequest>,
    make: (body: unknown) => HistoryResponse,
  ): FastifyReply => {
    const made = make(request.body);
    const masked = maskNumbers(bodyText(request));
    if (masked === undefined) return send(reply, made);
    const again = make(masked.body);
    if (!isSameWork(made, again)) return send(reply, { ...made, numbers: masked.numbers });
    const text = masked.unmask(writeBounded(again, longest));
    return reply.type("application/json; charset=utf-8").send(text);
  };

  app.post<HistoryRequest>("/check", described(schemas.check), (request, reply) => {
    const { history, options } = readHistory(request, "check");
    const problems = check(history, options);
    return send(reply, { format: options.format ?? detect(history)?.format, problems });
  });

  app.post<HistoryRequest>("/repair", described(schemas.repair), (request, reply) => {
    let rules: readonly RuleId[] = [];
    const sent = sendExact(reply, request, (body) => {
      const { history, options } = readHistory({ body, query: request.query }, "repair");
      const { format, output, edits, problems } = repair(history, options);
      rules = edits.map(({ rule }) => rule);
      return { format, output, edits, problems };
    });
    metrics.repaired(rules);
    return sent;
  });

  app.post<HistoryRequest>("/convert", described(schemas.convert), (request, reply) =>
    sendExact(reply, request, (body) => {
      const { history, options } = readHistory({ body, query: request.query }, "convert");
      const { from, output, losses, problems } = convert(history, options);
      return { from, to: options.to, output, losses, problems };
    }),
  );

  app.post<HistoryRequest>("/explain", described(schemas.explain), ({ body }) => {
    const { text, options } = readErrorText(body);
    return { explanations: explain(text, options) };
  });
  return Promise.resolve();
}

/** The library reports invalid options by name. The schemas only document them. */
const described = (schema: object): object => ({
  schema,
  config: { keepsNumbers: true },
  validatorCompiler: () => () => true,
});
