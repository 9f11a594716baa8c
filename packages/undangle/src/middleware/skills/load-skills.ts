import { UndangleError } from "#core";
import type { Language } from "#core";
import { canonicalPath, childPath, compareText } from "#files";
import type { FileBackend } from "#files";

import { fileError } from "../filesystem/file-access.ts";
import { readSkill } from "./read-skill.ts";
import type { SkillMatter, SkillProblem } from "./read-skill.ts";
import { skillTexts } from "./skill-texts.ts";

/** A skill that the model can read. */
export interface Skill extends SkillMatter {
  readonly folder: string;
  /** The path of its SKILL.md. */
  readonly path: string;
  /** True if its source is trusted. */
  readonly isTrusted: boolean;
}

/** A folder of skills, or the folder of one. */
export interface SkillSourceSettings {
  readonly path: string;
  readonly isTrusted: boolean;
}

/** The skills of a run. */
export interface Catalogue {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** How many files are read at the same time. */
const parallel = 16;

/** Loads the skills of all sources. The order is that of the sources, then of the names. The last skill of a name counts. */
export async function loadSkills(
  sources: readonly SkillSourceSettings[],
  backend: FileBackend,
  language: Language,
): Promise<Catalogue> {
  const found = await Promise.all(sources.map((source) => foldersOf(source.path, backend, language)));
  const folders = found.flatMap(({ folders: inSource }, i) =>
    inSource.map((folder) => ({ folder, isTrusted: sources[i]?.isTrusted === true, place: i })),
  );
  const loaded = await inParallel(folders, async ({ folder, isTrusted, place }) => {
    const { matter, problems } = await loadSkill(folder, backend, language);
    const path = skillFile(folder);
    return { skill: matter && { ...matter, folder, path, isTrusted }, place, problems };
  });
  const byName = new Map<string, { readonly skill: Skill; readonly place: number }>();
  for (const { skill, place } of loaded) if (skill !== undefined) byName.set(skill.name, { skill, place });
  const kept = [...byName.values()].sort((a, b) => a.place - b.place || compareText(a.skill.name, b.skill.name));
  return {
    skills: kept.map(({ skill }) => skill),
    problems: [...found.flatMap(({ problems }) => problems), ...loaded.flatMap(({ problems }) => problems)],
  };
}

const skillFile = (folder: string): string => childPath(folder, "SKILL.md");

/** The folders of a source that may be skills: the source itself, if it is one, or the folders in it. */
async function foldersOf(
  source: string,
  backend: FileBackend,
  language: Language,
): Promise<{ readonly folders: readonly string[]; readonly problems: readonly SkillProblem[] }> {
  const texts = skillTexts[language];
  try {
    if ((await backend.stat(skillFile(source))) !== undefined) return { folders: [source], problems: [] };
    const entries = (await backend.list(source)).filter(({ type }) => type !== "file");
    const isReadable = (path: string): boolean => canonicalPath(path).path === path;
    return {
      folders: entries.map(({ path }) => path).filter(isReadable),
      problems: entries
        .filter(({ path }) => !isReadable(path))
        .map(({ path }) => ({ text: texts.skipped(path, texts.oddPath), isError: true })),
    };
  } catch (error) {
    const problem = hasCode(error, ["file/missing"])
      ? { text: texts.missingSource(source), isError: false }
      : { text: texts.badSource(source, reasonOf(error, language, source)), isError: true };
    return { folders: [], problems: [problem] };
  }
}

/** Reads one skill. A folder without a SKILL.md has no `matter`. */
async function loadSkill(
  folder: string,
  backend: FileBackend,
  language: Language,
): Promise<{ readonly matter: SkillMatter | undefined; readonly problems: readonly SkillProblem[] }> {
  const path = skillFile(folder);
  try {
    return await readSkill(folder, await backend.read(path), language);
  } catch (error) {
    if (hasCode(error, ["file/missing", "file/not-directory"])) return { matter: undefined, problems: [] };
    const text = skillTexts[language].skipped(folder, reasonOf(error, language, path));
    return { matter: undefined, problems: [{ text, isError: true }] };
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof UndangleError && codes.includes(error.code);

export function reasonOf(error: unknown, language: Language, path: string): string {
  const shown = fileError(error, language, path);
  return shown instanceof Error ? shown.message : String(shown);
}

/** Maps items with a limited number of tasks at the same time. */
async function inParallel<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [i, item] of left) made[i] = await make(item);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));
  return made;
}
