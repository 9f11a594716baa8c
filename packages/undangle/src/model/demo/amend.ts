import type { ToolDescription } from "../model.ts";
import { fillArguments } from "./arguments/fill-arguments.ts";
import { fitsSchema } from "./arguments/fits-schema.ts";
import type { Gathered } from "./arguments/gathered.ts";
import { parameterOf } from "./arguments/parameter.ts";
import { readSchema, recordIn, typesOf } from "./arguments/read-schema.ts";
import type { Schema } from "./arguments/read-schema.ts";
import type { Facts } from "./facts/facts.ts";
import { followUpIn, namesThing } from "./follow-up.ts";
import { gatherFor } from "./propose.ts";
import type { ProposedCall } from "./propose.ts";
import type { Settled, Situation } from "./situation.ts";

/**
 * A call that was refused or failed, as the person now wants it: "make it 200 euros"; or one that was carried out, for something
 * else: "and in Oslo?". Undefined when they speak of something else.
 */
export function amend(situation: Situation, tools: readonly ToolDescription[], now: number): ProposedCall | undefined {
  const followUp = followUpIn(situation.said);
  for (const call of situation.previous) {
    const tool = tools.find(({ name }) => name === call.name);
    const isOpen = call.outcome.type === "rejected" || call.outcome.type === "failed";
    if (tool === undefined || (!isOpen && (call.outcome.type !== "succeeded" || followUp === undefined))) continue;
    const gathered = gatherFor(tool, followUp ?? situation.said, situation, now);
    if (!isOpen && gathered.isGrave) continue; // nobody is paid, and nothing deleted, by the way
    const { dates, times, numbers } = gathered.wish;
    const isName = [dates, times, numbers].every(({ length }) => length === 0);
    const name =
      !isOpen && isName && followUp !== undefined && namesThing(followUp, situation.said) ? followUp : undefined;
    const amended = amendCall(call, tool, gathered, name);
    if (amended !== undefined) return amended;
  }
  return undefined;
}

function amendCall(
  call: Settled,
  { schema, name }: ToolDescription,
  gathered: Gathered,
  named: string | undefined,
): ProposedCall | undefined {
  const said = fillArguments({ ...schema, required: [] }, gathered);
  const found = said.ok ? withoutHalves(said.arguments, call, schema, gathered) : {};
  const changes = [
    () => found,
    () => onlyNumber(schema, gathered.wish.numbers),
    () => (named === undefined ? {} : onlyText(schema, call, named)),
  ].reduce<Changes>((made, next) => (Object.keys(made).length > 0 ? made : next()), {});
  const amended = { ...call.arguments, ...changes };
  const isOther = JSON.stringify(amended) !== JSON.stringify(call.arguments);
  return isOther && fitsSchema(schema, amended) ? { name, arguments: amended } : undefined;
}

type Changes = Readonly<Record<string, unknown>>;

/** A moment of which only the day, or only the time, was said anew keeps its other half. */
function withoutHalves(changes: Changes, call: Settled, schema: Schema, { wish }: Gathered): Changes {
  const properties = recordIn(readSchema(schema, schema), "properties");
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => {
      const before = call.arguments[name];
      const isMoment = readSchema(properties[name], schema)["format"] === "date-time";
      const old = isMoment && typeof before === "string" ? /^([\d-]{10})T(\d\d:\d\d)/u.exec(before) : null;
      if (old === null) return [name, value];
      const [date = old[1] ?? ""] = wish.dates;
      return [name, `${date}T${timeIn(wish, old[2] ?? "")}:00Z`];
    }),
  );
}

/** "Four" of a meeting at three in the afternoon is in the afternoon. */
function timeIn({ times, text }: Facts, before: string): string {
  const [time = before] = times;
  const [hour = 0, then = 0] = [time, before].map((each) => Number(each.slice(0, 2)));
  const isExact = hour > 11 || /[ap]m\b|(?<!\d)0\d:|noon|midnight|凌晨|清晨|早|上午|下午|晚|夜/iu.test(text);
  const isLater = !isExact && Math.abs(hour + 12 - then) < Math.abs(hour - then);
  return isLater ? `${hour + 12}${time.slice(2)}` : time;
}

/** A bare number can only be the one number that the tool takes. */
function onlyNumber(schema: Schema, numbers: readonly { readonly value: number }[]): Changes {
  const properties = Object.entries(recordIn(readSchema(schema, schema), "properties"));
  const [only, ...others] = properties.filter(([, inner]) => {
    const [type = ""] = typesOf(readSchema(inner, schema));
    return type === "number" || type === "integer";
  });
  const [number] = numbers;
  return only === undefined || others.length > 0 || number === undefined ? {} : { [only[0]]: number.value };
}

/** A few bare words are another place, person or thing of the kind that the call was for. */
function onlyText(schema: Schema, { arguments: args }: Settled, text: string): Changes {
  const properties = recordIn(readSchema(schema, schema), "properties");
  const name = Object.keys(properties).find((key) => {
    const inner = readSchema(properties[key], schema);
    const { aspect } = parameterOf(key, inner);
    return ["place", "person", "query", "id", "other"].includes(aspect) && typeof args[key] === "string";
  });
  return name === undefined || Array.isArray(readSchema(properties[name], schema)["enum"]) ? {} : { [name]: text };
}
