import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ThreadRepair } from "undangle/agent";
import type { RemoteExchange, RemoteRepair } from "undangle/client";

import { ApiError } from "../answers/api-error.ts";
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
  const { desk, exchanges, roster } = app.service;
  const opened = openedBy(desk);

  app.get<WithId>("/threads/:id/repairs", { schema: { params: schemas.threadParams } }, async (request) => {
    const { thread } = await opened(request);
    return { data: (await thread.repairs()).map(showRepair) };
  });

  /** The recorded text if there is one, else the text that the thread gives. */
  const shown = async (request: FastifyRequest<WithTurn>, side: "request" | "response"): Promise<RemoteExchange> => {
    const { thread, found, note, id } = await opened(request, "admin");
    const entry = Number(request.params.n);
    const path = pathIn(request.query.path);
    const recorded = path.length > 0 ? undefined : await exchanges?.read(found.id, entry); // those of child threads are not recorded
    if (recorded !== undefined) {
      const { model, format, target } = recorded;
      return {
        source: "recorded",
        format,
        model,
        body: asJson(recorded[side]),
        ...(target !== undefined && { target }),
      };
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
    return { source: "reconstructed", format, model, body: written[side], ...(target !== undefined && { target }) };
  };

  const schema = { params: schemas.turnParams, querystring: schemas.exchangeQuery };
  app.get<WithTurn>("/threads/:id/responses/:n/request", { schema }, (request) => shown(request, "request"));

  app.get<WithTurn>("/threads/:id/responses/:n/response", { schema }, (request) => shown(request, "response"));
  return Promise.resolve();
}

const showRepair = ({ callId, ...repair }: ThreadRepair): RemoteRepair =>
  callId === undefined ? repair : { ...repair, call_id: callId };

/** JSON as a value. A stream, and JSON that was cut, stay text. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
