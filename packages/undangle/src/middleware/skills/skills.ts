import { createHash } from "node:crypto";

import { allowing, defineMiddleware } from "#engine";
import type { CallAllowance, HookContext, Middleware, RunOne } from "#engine";
import { canonicalPath, isWithin, parentPath } from "#files";
import type { FileBackendSource } from "#files";
import type { ModelRequest } from "#model";

import { appendSystemText } from "../append-system-text.ts";
import { openFiles } from "../open-files.ts";
import { loadSkills, reasonOf } from "./load-skills.ts";
import type { Catalogue, Skill, SkillSourceSettings } from "./load-skills.ts";
import { skillTexts } from "./skill-texts.ts";
import { readOptions } from "./skills-options.ts";
import type { SkillsOptions, SkillsSettings } from "./skills-options.ts";
import { skillsSection } from "./skills-section.ts";

/** What the middleware keeps in each thread. */
interface SkillsState {
  /** The skills in use: those whose SKILL.md was read since the last message of the user. */
  readonly active?: readonly ActiveSkill[];
  /** Hashes of the problems that were reported. */
  readonly reported?: readonly string[];
}

interface ActiveSkill {
  readonly name: string;
  readonly path: string;
  readonly tools: readonly string[];
  readonly isTrusted: boolean;
  /** In milliseconds of the clock. */
  readonly at: number;
}

type SkillsUpdate =
  | { readonly type: "add"; readonly skill: ActiveSkill }
  | { readonly type: "use"; readonly skills: readonly ActiveSkill[] }
  | { readonly type: "report"; readonly hashes: readonly string[] };

type Context = HookContext<SkillsState, SkillsUpdate>;

/**
 * Shows a model the skills in folders, each with a SKILL.md that it reads when a task needs it. Skills are loaded at the
 * first request of a run: a change is seen in the next run, and the requests of a run have the same text.
 */
export function skills(options: SkillsOptions): Middleware {
  const { sources, files, allowedTools, limit, readTool } = readOptions(options);
  const catalogues = new WeakMap<AbortSignal, Promise<Catalogue>>(); // by run
  const catalogueOf = (context: Context): Promise<Catalogue> => {
    const known = catalogues.get(context.signal) ?? load(sources, files, context);
    catalogues.set(context.signal, known);
    return known;
  };
  const views = new WeakMap<ModelRequest["tools"], Map<string, ModelRequest["tools"]>>();
  /** The tools that active skills allow, and the tool that reads them. The same tools give the same list. */
  const restricted = (tools: ModelRequest["tools"], names: readonly string[]): ModelRequest["tools"] => {
    const ofTools = views.get(tools) ?? new Map<string, ModelRequest["tools"]>();
    views.set(tools, ofTools);
    const key = names.toSorted().join(" ");
    const view = ofTools.get(key) ?? tools.filter(({ name }) => name === readTool || names.includes(name));
    ofTools.set(key, view);
    return view;
  };
  const isTracking = allowedTools !== "show";
  const middleware = defineMiddleware<SkillsState, SkillsUpdate>({
    name: "skills",
    state: { initial: {}, reduce },
    async beforeAgent(context) {
      const { reason, state } = context;
      const { active = [] } = state.get();
      if (active.length === 0) return;
      const isNew = reason === "message" || reason === "regenerate"; // otherwise the run continues an earlier one
      const { skills: known } = isNew ? none : await catalogueOf(context);
      // What a skill allows is read from its file again: the state of an imported thread may contain anything.
      const found = active.flatMap(({ path, at }) =>
        known.filter((each) => each.path === path).map((each) => inUse(each, at)),
      );
      state.update({ type: "use", skills: found });
    },
    async beforeModel(request, context) {
      const { language, tools } = request;
      const catalogue = await catalogueOf(context);
      const canRead = tools.some(({ name }) => name === readTool);
      report([...problemsIn(catalogue, { allowedTools, tools, readTool, canRead, language })], context);
      const options = { limit, sources: sources.map(({ path }) => path), readTool, language, tools };
      const section = canRead ? skillsSection(catalogue, options) : undefined;
      const names = allowedTools === "enforce" ? toolsOf(context.state.get()) : undefined;
      return {
        ...request,
        ...(section !== undefined && { system: appendSystemText(request.system, section) }),
        ...(names !== undefined && { tools: restricted(tools, names) }),
      };
    },
    ...(isTracking && {
      wrapToolCall: (next) => async (call, context: Context) => {
        const path = call.tool.name === readTool ? readPath(call) : undefined;
        if (path === undefined) return next(call);
        const { skills: known } = await catalogueOf(context);
        const { active = [] } = context.state.get();
        const names = allowedTools === "enforce" ? toolsOf({ active }) : undefined;
        const isOfSkill = [...known, ...active].some((each) => isWithin(path, parentPath(each.path)));
        if (names !== undefined && !names.includes(readTool) && !isOfSkill)
          return failure(skillTexts[context.language].notAllowed(readTool, active));
        const result = await next(call);
        const skill = known.find((each) => each.path === path);
        if (skill !== undefined) context.state.update({ type: "add", skill: inUse(skill, Date.now()) });
        return result;
      },
    }),
  });
  return allowedTools === "approve" ? Object.assign(middleware, { [allowing]: allowanceOf }) : middleware;
}

function reduce(state: SkillsState, update: SkillsUpdate): SkillsState {
  const { active = [], ...others } = state;
  switch (update.type) {
    case "add":
      return { ...others, active: [...active.filter(({ path }) => path !== update.skill.path), update.skill] };
    case "use":
      return update.skills.length === 0 ? others : { ...others, active: update.skills };
    default:
      return { ...state, reported: update.hashes };
  }
}

const none: Catalogue = { skills: [], problems: [] };

const inUse = ({ name, path, allowedTools, isTrusted }: Skill, at: number): ActiveSkill => ({
  name,
  path,
  tools: allowedTools,
  isTrusted,
  at,
});

/** The allowance of a skill in use for a tool. */
function allowanceOf(state: unknown, tool: string): CallAllowance | undefined {
  const { active = [] } = state as SkillsState; // written only by the reducer
  const skill = active.find(({ tools, isTrusted }) => isTrusted && tools.includes(tool));
  return skill && { id: `skill:${skill.path}`, scope: "thread", at: skill.at, by: `skill ${skill.name}` };
}

/** The tools that the skills in use allow. Undefined if none of them has a list. */
function toolsOf({ active = [] }: SkillsState): readonly string[] | undefined {
  const names = active.flatMap(({ tools }) => tools);
  return names.length === 0 ? undefined : names;
}

async function load(
  sources: readonly SkillSourceSettings[],
  files: FileBackendSource,
  context: Context,
): Promise<Catalogue> {
  const { language } = context;
  try {
    return await loadSkills(sources, await openFiles(files, context), language);
  } catch (error) {
    const { badSource } = skillTexts[language];
    const problems = sources.map(({ path }) => ({
      text: badSource(path, reasonOf(error, language, path)),
      isError: true,
    }));
    return { skills: [], problems };
  }
}

/** Everything that a person should know: of the catalogue, and about tools that the agent does not have. */
function* problemsIn(
  { skills: known, problems }: Catalogue,
  given: Pick<SkillsSettings, "allowedTools" | "readTool"> &
    Pick<ModelRequest, "tools" | "language"> & { readonly canRead: boolean },
): Generator<string> {
  const { allowedTools, readTool, tools, language, canRead } = given;
  const texts = skillTexts[language];
  if (!canRead) yield texts.noReadTool(readTool);
  for (const { text } of problems) yield text;
  const isUsed = (skill: Catalogue["skills"][number]): boolean =>
    allowedTools === "enforce" || (allowedTools === "approve" && skill.isTrusted);
  for (const skill of known.filter(isUsed)) {
    const unknown = skill.allowedTools.filter((name) => !tools.some((tool) => tool.name === name));
    if (unknown.length > 0) yield texts.unknownTools(skill.folder, unknown);
  }
}

const mostWarnings = 20;

/** Warns about each problem once in a thread, until it has been absent. */
function report(problems: readonly string[], { state, warn, language }: Context): void {
  const { reported = [] } = state.get();
  const omitted = Math.max(0, problems.length - mostWarnings);
  const texts = [
    ...problems.slice(0, mostWarnings),
    ...(omitted === 0 ? [] : [skillTexts[language].moreProblems(omitted)]),
  ];
  const found = texts.map((text) => ({ text, hash: createHash("sha256").update(text).digest("base64").slice(0, 12) }));
  const fresh = found.filter(({ hash }) => !reported.includes(hash));
  for (const { text } of fresh) warn(text.slice(0, 1_000).toWellFormed());
  if (fresh.length > 0 || found.length !== reported.length)
    state.update({ type: "report", hashes: found.map(({ hash }) => hash) });
}

/** The path of a call that reads a file. */
function readPath({ arguments: args }: Parameters<RunOne>[0]): string | undefined {
  const { file_path: given } = args as { readonly file_path?: unknown }; // of any tool
  return typeof given === "string" ? canonicalPath(given).path : undefined;
}

/** The result of a call that was not executed. */
const failure = (text: string): unknown => ({ content: [{ type: "text", text }], isError: true });
