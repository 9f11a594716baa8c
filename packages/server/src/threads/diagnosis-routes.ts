import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ThreadRepair } from "undangle/agent";
import type { RemoteExchange, RemoteRepair } from "undangle/client";

import { ApiError } from "../responses/api-error.ts";
import { pathIn } from "./entry-routes.ts";
import { openedBy } from "./opened-thread.ts";
import type { WithId } from "./opened-thread.ts";
import * as schemas from "./thread-schemas.ts";

interface WithTurn {
  Params: { readonly id: string; readonly n: string };
  Querystring: { readonly path?: string };
}

/** Routes that show what was repaired, and what models received and sent. */
export function diagnosisRoutes(app: FastifyInstance): Promise<void> {
  const { projectThreads, exchanges, roster } = app.service;
  const opened = openedBy(projectThreads);

  app.get<WithId>("/threads/:id/repairs", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread } = await opened(request);
    return { data: (await thread.repairs()).map(showRepair) };
  });

  /** The recorded text if there is one, else the text that the thread gives. */
  const shown = async (request: FastifyRequest<WithTurn>, side: "request" | "response"): Promise<string> => {
    const { thread, found, note, id } = await opened(request, "admin");
    const entry = Number(request.params.n);
    const path = pathIn(request.query.path);
    const recorded = path.length > 0 ? undefined : await exchanges?.read(found.id, entry); // those of child threads are not recorded
    if (recorded !== undefined) {
      const { model, format, target } = recorded;
      const shown = { source: "recorded", format, model, ...(target !== undefined && { target }) } as const;
      return withText(shown, recorded[side]);
    }
    const written = await thread.exchange(entry, { path, models: roster.modelsOf(note.persona) });
    if (written === undefined)
      throw new ApiError(
        404,
        "thread/no-response",
        `Entry ${entry} of the thread ${JSON.stringify(id)} is not the response of a model. The event model_end and the trace name the entries of responses.`,
        { param: "n" },
      );
    const { model, format, target } = written;
    const shown = { source: "reconstructed", format, model, ...(target !== undefined && { target }) } as const;
    return JSON.stringify({ ...shown, body: written[side] } satisfies RemoteExchange);
  };
  const send = async (
    request: FastifyRequest<WithTurn>,
    reply: FastifyReply,
    side: "request" | "response",
  ): Promise<FastifyReply> => reply.type("application/json; charset=utf-8").send(await shown(request, side));

  const schema = { params: schemas.turnParams, querystring: schemas.exchangeQuery };
  app.get<WithTurn>("/threads/:id/responses/:n/request", { schema }, (request, reply) =>
    send(request, reply, "request"),
  );

  app.get<WithTurn>("/threads/:id/responses/:n/response", { schema }, (request, reply) =>
    send(request, reply, "response"),
  );
  return Promise.resolve();
}

const showRepair = ({ callId, ...repair }: ThreadRepair): RemoteRepair =>
  callId === undefined ? repair : { ...repair, call_id: callId };

/** An exchange with JSON as it is, so that no number changes. A stream, and JSON that was cut, become text. */
const withText = (shown: Omit<RemoteExchange, "body">, text: string): string =>
  `${JSON.stringify(shown).slice(0, -1)},"body":${isJson(text) ? text : JSON.stringify(text)}}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
