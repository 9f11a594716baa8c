import type { AssembledCall } from "#core";

import { argumentsText } from "../stream/cleaner.ts";
import type { Wire } from "../stream/cleaner.ts";

/** A call as OpenAI sends it; the input of a custom tool stands for itself. */
export function wireOf(call: AssembledCall): Wire {
  const { id, name, extras } = call;
  const extra = extras?.["extra_content"];
  const called =
    extras?.["type"] === "custom"
      ? { id, type: "custom", custom: { name, input: call.raw } }
      : { id, type: "function", function: { name, arguments: argumentsText(call) } };
  return extra === undefined ? called : { ...called, extra_content: extra };
}
