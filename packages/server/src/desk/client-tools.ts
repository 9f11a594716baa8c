import { tool } from "undangle/agent";
import type { AnyTool, ApprovalRule } from "undangle/agent";

/** A tool that the caller runs itself, as the field `tools` of a request describes it. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** The JSON schema of its arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Such tools for an agent: each call waits until the caller gives its result. Of the decisions that there are only `respond`
 * holds, so that nobody can have it run here. Arguments are the caller's affair: schemas of strangers are passed on and never
 * run, for a pattern in one can take for ever.
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
        throw new Error("The client runs this tool."); // nobody can approve it
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

/** A schema that describes, and lets everything pass. */
interface UncheckedInput {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: Readonly<Record<"input" | "output", () => Record<string, unknown>>>;
  };
}
