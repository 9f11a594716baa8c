import type { Asked, Fields } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

/** How far a server of the chat format goes with what it is asked. */
export interface ChatAbilities {
  /** A schema for the answer: not at all, only in requests without tools, or in any. */
  readonly output?: "alone" | "with-tools";
  /** False where the tokens are counted without being asked for, and the field for it is refused. */
  readonly usage?: boolean;
}

/** The fields of a chat request that are not part of the conversation. */
export function chatFields(
  { request: { output, tools } }: Asked,
  { output: ability, usage = true }: ChatAbilities,
): Fields {
  const sent = output === undefined ? undefined : sentSchema(output);
  const isAsked = tools.length === 0 ? ability !== undefined : ability === "with-tools" && sent?.isStrict === true;
  return {
    ...(usage && { stream_options: { include_usage: true } }),
    ...(sent !== undefined &&
      isAsked && {
        response_format: {
          type: "json_schema",
          json_schema: { name: "answer", schema: sent.schema, strict: sent.isStrict },
        },
      }),
  };
}
