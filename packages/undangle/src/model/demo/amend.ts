import type { ToolDescription } from "../model.ts";
import { fillArguments } from "./arguments/fill-arguments.ts";
import { fitsSchema } from "./arguments/fits-schema.ts";
import { readSchema, recordIn, typesOf } from "./arguments/read-schema.ts";
import type { Schema } from "./arguments/read-schema.ts";
import { gatherFor } from "./propose.ts";
import type { ProposedCall } from "./propose.ts";
import type { Settled, Situation } from "./situation.ts";

/** A call that was refused or failed, as the person now wants it: "make it 200 euros". Undefined when they speak of something else. */
export function amend(situation: Situation, tools: readonly ToolDescription[], now: number): ProposedCall | undefined {
  for (const call of situation.previous) {
    const tool = tools.find(({ name }) => name === call.name);
    const isOpen = call.outcome.type === "rejected" || call.outcome.type === "failed";
    const amended = tool === undefined || !isOpen ? undefined : amendCall(call, tool, situation, now);
    if (amended !== undefined) return amended;
  }
  return undefined;
}

function amendCall(call: Settled, tool: ToolDescription, situation: Situation, now: number): ProposedCall | undefined {
  const { schema, name } = tool;
  const gathered = gatherFor(tool, situation.said, situation, now);
  const said = fillArguments({ ...schema, required: [] }, gathered);
  const changes =
    said.ok && Object.keys(said.arguments).length > 0 ? said.arguments : onlyNumber(schema, gathered.wish.numbers);
  const amended = { ...call.arguments, ...changes };
  const isOther = JSON.stringify(amended) !== JSON.stringify(call.arguments);
  return isOther && fitsSchema(schema, amended) ? { name, arguments: amended } : undefined;
}

/** A bare number can only be the one number that the tool takes. */
function onlyNumber(schema: Schema, numbers: readonly { readonly value: number }[]): Readonly<Record<string, unknown>> {
  const properties = Object.entries(recordIn(readSchema(schema, schema), "properties"));
  const [only, ...others] = properties.filter(([, inner]) => {
    const [type = ""] = typesOf(readSchema(inner, schema));
    return type === "number" || type === "integer";
  });
  const [number] = numbers;
  return only === undefined || others.length > 0 || number === undefined ? {} : { [only[0]]: number.value };
}
