import type { Asked, Fields } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

/** The features of a server of the chat format. */
export interface ChatAbilities {
  /** Support for response schemas: none, only without tools, or always. */
  readonly output?: "alone" | "with-tools";
  /** False if usage is always counted and the field for it is refused. */
  readonly usage?: boolean;
}

/** The fields of a chat request outside the conversation. */
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
