import { check, convert, detect, explain, repair } from "undangle";
import type { FastifyInstance, FastifyReply } from "fastify";

import * as schemas from "./history-schemas.ts";
import { readErrorText, readHistory } from "./read-history.ts";
import type { HistoryRequest } from "./read-history.ts";
import { writeBounded } from "./write-bounded.ts";

/** The functions of the library for clients in other languages. Nothing is stored, and any key is sufficient. */
export function historyRoutes(app: FastifyInstance): Promise<void> {
  const { metrics, settings } = app.service;
  const longest = 4 * settings.limits.body;
  const send = (reply: FastifyReply, answer: Readonly<Record<string, unknown>>): FastifyReply =>
    reply.type("application/json; charset=utf-8").send(writeBounded(answer, longest));

  app.post<HistoryRequest>("/check", described("Lists the problems of a history.", schemas.check), (request, reply) => {
    const { history, options } = readHistory(request, "check");
    const problems = check(history, options);
    return send(reply, { format: options.format ?? detect(history)?.format, problems });
  });

  app.post<HistoryRequest>("/repair", described("Repairs a history.", schemas.repair), (request, reply) => {
    const { history, options } = readHistory(request, "repair");
    const { format, output, edits, problems } = repair(history, options);
    metrics.repaired(edits.map(({ rule }) => rule));
    return send(reply, { format, output, edits, problems });
  });

  app.post<HistoryRequest>(
    "/convert",
    described("Converts a history to another format.", schemas.convert),
    (request, reply) => {
      const { history, options } = readHistory(request, "convert");
      const { from, output, losses, problems } = convert(history, options);
      return send(reply, { from, to: options.to, output, losses, problems });
    },
  );

  app.post<HistoryRequest>("/explain", described("Explains an error text.", schemas.explain), ({ body }) => {
    const { text, options } = readErrorText(body);
    return { explanations: explain(text, options) };
  });
  return Promise.resolve();
}

/** The library reports invalid options by name. The schemas only document them. */
const described = (summary: string, schema: object): object => ({
  schema: { summary, ...schema },
  validatorCompiler: () => () => true,
});
