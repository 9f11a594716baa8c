import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { UndangleError } from "undangle";
import type { LoadedConfig } from "undangle/config";

import { readPersona } from "./read-persona.ts";
import type { ReadPersona } from "./read-persona.ts";

/** The personas of a folder (`personas/*.md`), sorted by name. */
export async function loadPersonas(folder: string): Promise<readonly ReadPersona[]> {
  const home = join(folder, "personas");
  if (!existsSync(home)) return [];
  const names = (await readdir(home)).filter((name) => name.endsWith(".md") && !name.startsWith(".")).sort();
  return Promise.all(
    names.map(async (name) => readPersona(await readFile(join(home, name), "utf8"), `personas/${name}`)),
  );
}

/** A config with more personas. Their errors name the lines of their files. */
export function withPersonas(loaded: LoadedConfig, read: readonly ReadPersona[]): LoadedConfig {
  if (read.length === 0) return loaded;
  const { config } = loaded;
  const own = config.personas ?? [];
  const known = new Map(
    [...Object.keys(config.agents ?? {}), ...own.map(({ id }) => id)].map((id) => [id, "the config"]),
  );
  for (const { persona, placeOf } of read) {
    const first = known.get(persona.id);
    const place = placeOf("id");
    if (first !== undefined)
      throw new UndangleError("config/duplicate", { place, key: "id", kind: "persona", name: persona.id, first });
    known.set(persona.id, place);
  }
  return {
    ...loaded,
    config: { ...config, personas: [...own, ...read.map(({ persona }) => persona)] },
    placeOf(key) {
      const [list, index, field = "id"] = key;
      const persona = list === "personas" && typeof index === "number" ? read[index - own.length] : undefined;
      return persona?.placeOf(String(field)) ?? loaded.placeOf(key);
    },
  };
}
