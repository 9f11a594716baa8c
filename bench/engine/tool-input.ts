import { load } from "../contenders/stream-client.ts";
import { tools } from "./workload.ts";
import type { ToolArguments } from "./workload.ts";

/** How all contenders check the arguments of their tools, and what models are told of these. */
export interface ToolInput {
  readonly schema: ArgumentsSchema;
  /** The tools as a request of the chat format has them. */
  readonly chatTools: readonly object[];
}

/** A schema of zod. */
export interface ArgumentsSchema {
  readonly parse: (value: unknown) => ToolArguments;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: ToolArguments; readonly issues?: undefined };
    readonly types?: { readonly input: unknown; readonly output: ToolArguments };
  };
}

/** Loads zod, and makes the schema. */
export async function loadToolInput(): Promise<ToolInput> {
  const { z } = (await load("zod")) as ZodModule;
  const schema = z.object({ path: z.string(), limit: z.number() });
  const { $schema: _draft, ...parameters } = z.toJSONSchema(schema);
  return { schema, chatTools: tools.map((tool) => ({ type: "function", function: { ...tool, parameters } })) };
}

interface ZodModule {
  readonly z: {
    readonly string: () => unknown;
    readonly number: () => unknown;
    readonly object: (shape: Readonly<Record<keyof ToolArguments, unknown>>) => ArgumentsSchema;
    readonly toJSONSchema: (schema: ArgumentsSchema) => Readonly<Record<string, unknown>>;
  };
}
