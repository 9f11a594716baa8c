import { tool } from "undangle/agent";
import type { AnyTool, ApprovalRule } from "undangle/agent";

/** A tool that the client runs, from the field `tools` of a request. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Client tools for an agent. Each call waits until the client sends its result. `respond` is the only allowed decision,
 * so the call cannot run on the server. The arguments are not validated, because a pattern in an untrusted schema can
 * take forever.
 */
export function clientTools(given: readonly ClientTool[]): {
  readonly tools: readonly AnyTool[];
  readonly approvals: readonly ApprovalRule[];
} {
  const tools = given.map(({ name, description = "", parameters }) =>
    tool({
      name,
      description,
      input: unchecked(parameters ?? { type: "object", properties: {} }),
      execute: () => {
        throw new Error("The client runs this tool."); // it cannot be approved
      },
    }),
  );
  if (tools.length === 0) return { tools, approvals: [] };
  return { tools, approvals: [{ tools: tools.map(({ name }) => name), decisions: ["respond"] }] };
}

const unchecked = (schema: NonNullable<ClientTool["parameters"]>): UncheckedInput => ({
  "~standard": {
    version: 1,
    vendor: "undangle",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

/** A schema that describes its input and accepts everything. */
interface UncheckedInput {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: Readonly<Record<"input" | "output", () => Record<string, unknown>>>;
  };
}
