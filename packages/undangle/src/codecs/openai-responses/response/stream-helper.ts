import type { JsonObject } from "#core";

import type { RequestFacts, Frame } from "../../stream/response-writer.ts";
import { eventsTakenIn, progressOf } from "../stream/event-types.ts";
import type { ClientView } from "./client-view.ts";

/**
 * `responses.stream()` of OpenAI's SDK, which assembles the response itself and throws for an unknown event. Clients
 * that only read events ignore it.
 */
export interface StreamHelper {
  /** True for an event that the client does not know, or that reports progress of an unknown item. */
  readonly tripsOver: (value: JsonObject, view: ClientView) => boolean;
  /**
   * The frame itself if the client accepts it. Otherwise a comment, because the frame may keep the connection alive.
   */
  readonly harmless: (frame: Frame, view: ClientView) => Frame;
}

/** The helper of the request, if any. */
export function helperOf(facts: RequestFacts | undefined): StreamHelper | undefined {
  const { method, version } = facts?.helper ?? {};
  if (method !== "stream") return undefined;
  const known = eventsTakenIn(version);
  return {
    tripsOver({ type, output_index: index, item_id: id }, { items }) {
      if (!known.has(type)) return true;
      const kind = progressOf(type);
      if (kind === undefined) return false;
      const item = typeof index === "number" ? items.at(index) : undefined;
      return item?.type !== kind || item.id !== id;
    },
    harmless: (frame, { response }) =>
      response !== undefined && known.has(frame.value["type"]) ? frame : { ...frame, isComment: true },
  };
}
