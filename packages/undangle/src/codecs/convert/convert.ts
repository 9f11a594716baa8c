import { isRecord, rules, UndangleError } from "#core";
import type { Edit, Problem, Profile } from "#core";

import type { Format } from "../codec.ts";
import { listIn } from "../detect.ts";
import { codecOf, codecs, formats } from "../formats.ts";
import { guard } from "../locate.ts";
import { validateConvertOptions } from "../options.ts";
import type { ConvertOptions } from "../options.ts";
import { jsonList } from "../plain-list.ts";
import { repair, repairKeepingMedia } from "../repair.ts";
import { converters } from "./converters.ts";
import type { Loss } from "./losses.ts";
import { isRename, renamesOf } from "./renames.ts";
import { tracePaths } from "./trace-paths.ts";
import { translate } from "./translate.ts";

/** A history in another format. */
export interface Converted {
  /** A body for a body, an array for an array. */
  readonly output: unknown;
  /** Content that the target cannot represent, with its path in the input. */
  readonly losses: readonly Loss[];
  /** Problems of the output that cannot be repaired. */
  readonly problems: readonly Problem[];
  /** The given or detected format. */
  readonly from: Format;
}

/** Converts a history to a valid history of another format, and lists what that format cannot represent. */
export function convert(input: unknown, options: ConvertOptions): Converted {
  validateConvertOptions(options);
  const { from, to, provider, model, language = "en" } = options;
  if (to === undefined) throw new UndangleError("options/value", { option: "to", value: to, allowed: formats });
  const codec = codecOf(to);
  if (provider !== undefined && !codec.providers.includes(provider)) {
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed: codec.providers });
  }
  const target = { format: to, provider, model, language };
  const source = repairKeepingMedia(input, { format: from, language });
  if (source.format === to) {
    const { output, edits, problems } = repair(input, target);
    return { output, losses: edits.flatMap((edit) => lossOf(edit, edit.from)), problems, from: to };
  }
  return guard(() => {
    const namesFor = (named: string | undefined): Profile["names"] =>
      codec.profile({ list: [], body: undefined, provider, model: named }).names;
    const body = isRecord(source.output) ? source.output : undefined;
    const list = jsonList(listIn(source.output, codecs[source.format]) ?? []);
    const renames = renamesOf(source.edits);
    const translated = translate(
      { list, body },
      { from: source.format, to, provider, model, namesFor, renames, language },
    );
    const { output, edits, problems } = repair(translated.output, target);
    const place = tracePaths(input, source.output, converters[source.format].listKey);
    const losses = [
      ...source.edits.flatMap((edit) => (isRename(edit) ? [] : lossOf(edit, edit.from))),
      ...translated.losses.map((loss) => ({ ...loss, path: place(loss.path) })),
      ...edits.flatMap((edit) => lossOf(edit, place(originOf(edit, `${codec.listKey}[`, translated.origins)))),
    ];
    // A loss without a path concerns a value that the repair inserted, so it is not a loss of the input.
    const own = losses.filter(({ path }) => path !== "");
    return { output, losses: inOrder(own, input), problems, from: source.format };
  });
}

/** Reports an edit that is not lossless as a loss. */
function lossOf({ rule, lossless }: Edit, path: string | undefined): readonly Loss[] {
  if (lossless) return [];
  return [{ path: path ?? "", what: rules[rule].title, why: rules[rule].fix }];
}

/** The original path of the message of an edit; an edit of the body has its own path. */
function originOf({ from, to }: Edit, list: string, origins: readonly string[]): string {
  const path = from ?? to ?? "";
  return path.startsWith(list) ? (origins[Number.parseInt(path.slice(list.length), 10)] ?? path) : path;
}

/** Sorts losses: parameters first, then in message order. */
function inOrder(losses: readonly Loss[], input: unknown): readonly Loss[] {
  const keys = new Map((isRecord(input) ? Object.keys(input) : []).map((key, i) => [key, i]));
  const rank = ({ path }: Loss): number => {
    const [, key = "", index] = /^(\w+)(?:\[(\d+)\])?/.exec(path) ?? [];
    const isListed = index !== undefined && /^(?:messages|input|contents)$/.test(key);
    return isListed ? keys.size + Number(index) : (keys.get(key) ?? 0);
  };
  const ranked = losses.map((loss) => ({ loss, rank: rank(loss) }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ loss }) => loss);
}
