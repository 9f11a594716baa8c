import { suggest, UndangleError } from "#core";
import { demoModel, modelNamed } from "#model";
import type { Model } from "#model";

import { showKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";

export type ModelOrigin = "option" | "config" | "environment" | "demo";

type Env = Readonly<Record<string, string | undefined>>;

interface Wanted {
  /** From the command line. */
  readonly asked: string | undefined;
  /** From the config, and its place. */
  readonly given: Model | string | undefined;
  readonly key: KeyPath;
  readonly models: Readonly<Record<string, Model | string>>;
  readonly env: Env;
  readonly placeOf: (key: KeyPath) => string;
}

/** The requested model, else that of the config, else UNDANGLE_MODEL, else the demo model. */
export function chooseModel(wanted: Wanted): { readonly model: Model; readonly origin: ModelOrigin } {
  const { asked, given, key, env, placeOf } = wanted;
  const named = env["UNDANGLE_MODEL"];
  if (asked !== undefined) return { model: find(asked, wanted, { place: "--model", key: "" }), origin: "option" };
  if (typeof given === "string")
    return { model: find(given, wanted, { place: placeOf(key), key: showKey(key) }), origin: "config" };
  if (given !== undefined) return { model: given, origin: "config" };
  if (named !== undefined && named !== "")
    return { model: find(named, wanted, { place: "UNDANGLE_MODEL", key: "" }), origin: "environment" };
  return { model: demoModel(), origin: "demo" };
}

interface Place {
  readonly place: string;
  readonly key: string;
}

/** An alias may refer to another alias, but not to itself. */
function find(name: string, { models, env, placeOf }: Wanted, at: Place): Model {
  const seen: string[] = [];
  for (let next = name; ;) {
    const known = Object.hasOwn(models, next) ? models[next] : undefined;
    if (known === undefined)
      return fromProvider(next, { models, env }, seen.length === 0 ? at : placeOfName(seen.at(-1), placeOf));
    if (typeof known !== "string") return known;
    if (seen.includes(next) || known === next) {
      if (known === next && next.includes("/")) return fromProvider(next, { models, env }, at);
      const reason = `The name refers to itself: ${[...seen, next].join(" → ")}. Write the name of a model, such as "openai/gpt-5.1".`;
      throw new UndangleError("config/refused", { ...placeOfName(next, placeOf), reason });
    }
    seen.push(next);
    next = known;
  }
}

const placeOfName = (name = "", placeOf: Wanted["placeOf"]): Place => ({
  place: placeOf(["models", name]),
  key: showKey(["models", name]),
});

/** A model of a provider. A name without a provider that resembles an alias is reported as such. */
function fromProvider(name: string, { models, env }: Pick<Wanted, "models" | "env">, at: Place): Model {
  const known = Object.keys(models);
  const nearest = name.includes("/") ? undefined : suggest(name, known);
  if (nearest !== undefined) throw new UndangleError("config/name", { ...at, kind: "model", name, known, nearest });
  try {
    return modelNamed(name, { env });
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error;
    throw new UndangleError("config/refused", { ...at, reason: error.message }, error);
  }
}
