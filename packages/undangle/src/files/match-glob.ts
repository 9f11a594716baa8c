/** A compiled pattern. Paths are canonical. */
export interface Glob {
  readonly matches: (path: string) => boolean;
  /** False if nothing in the directory can match, at any depth. */
  readonly mayMatchIn: (directory: string) => boolean;
}

export interface GlobOptions {
  /** The directory that the pattern is relative to. Nothing outside of it matches. */
  readonly base?: string | undefined;
  /** True if wildcards also match names that begin with a dot, as a rule about access has to. */
  readonly dot?: boolean | undefined;
}

/**
 * Compiles a pattern with `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `**` as a whole segment, and `\` before a literal
 * character. Every text is a pattern: brackets and braces without an end, `()`, `!` and `+` are literal.
 *
 * - A pattern without `/` matches the last segment at any depth.
 * - Other patterns match the path relative to `base`. A leading `/` makes them relative to the root.
 * - A name that begins with a dot matches only a segment of the pattern that begins with one. A pattern without `/` says
 *   nothing about the directories above the name.
 *
 * It is an automaton that is in several states at a time, so that the time is at most proportional to the length of the
 * path times that of the pattern. Regular expressions, also those of picomatch, need exponential time for some patterns.
 */
export function compileGlob(pattern: string, { base = "/", dot = false }: GlobOptions = {}): Glob {
  const isName = pattern !== "**" && !pattern.includes("/");
  const isAbsolute = pattern.startsWith("/");
  const automaton = build(pattern, dot);
  const prefix = isAbsolute || base === "/" ? "/" : `${base}/`;
  const outer = base === "/" ? "/" : `${base}/`;
  return {
    matches: (path) => {
      if (!path.startsWith(outer)) return false;
      return automaton.accepts(path.slice(isName ? path.lastIndexOf("/") + 1 : prefix.length));
    },
    mayMatchIn: (directory) => {
      const below = directory === "/" ? "/" : `${directory}/`;
      if (!below.startsWith(outer)) return outer.startsWith(below);
      return isName || automaton.lives(below.slice(prefix.length));
    },
  };
}

/**
 * A state of the automaton. It consumes a character if `test` accepts it, and is then in `next`. `free` are the states
 * that it is in without a character.
 */
interface State {
  readonly test?: (character: string, isFirst: boolean) => boolean;
  next?: State;
  readonly free: State[];
  /** The number of the last step that entered this state. */
  seen: number;
}

interface Automaton {
  readonly accepts: (text: string) => boolean;
  /** True if the text is the beginning of a text that may be accepted. */
  readonly lives: (text: string) => boolean;
}

function build(pattern: string, dot: boolean): Automaton {
  const end: State = { free: [], seen: 0 };
  const tokens = parse(pattern);
  const start = link(tokens, end, dot);
  const suffix = literalEnd(tokens);
  let step = 0;
  const run = (text: string): State[] => {
    let states = enter([start], ++step);
    let isFirst = true;
    for (const character of text) {
      const next: State[] = [];
      for (const { test, next: after } of states)
        if (after !== undefined && test?.(character, isFirst) === true) next.push(after);
      states = enter(next, ++step);
      if (states.length === 0) break;
      isFirst = character === "/";
    }
    return states;
  };
  return { accepts: (text) => text.endsWith(suffix) && run(text).includes(end), lives: (text) => run(text).length > 0 };
}

/** The text that everything ends with that matches. Most names of a search are refused by it. */
function literalEnd(tokens: readonly Token[]): string {
  const from = tokens.findLastIndex(({ type }) => type !== "literal") + 1;
  return tokens
    .slice(from)
    .map((token) => (token.type === "literal" ? token.character : ""))
    .join("");
}

/** The given states and those that they are in without a character, each once. */
function enter(states: readonly State[], step: number): State[] {
  const entered: State[] = [];
  const waiting = [...states];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (state.seen === step) continue;
    state.seen = step;
    entered.push(state);
    waiting.push(...state.free);
  }
  return entered;
}

type Token =
  | { readonly type: "literal"; readonly character: string; readonly isExplicit: boolean }
  | { readonly type: "any" }
  | { readonly type: "class"; readonly has: (character: string) => boolean }
  | { readonly type: "star" }
  /** `**` before a slash: any number of segments, also none, each with its slash. */
  | { readonly type: "directories" }
  /** `**` at the end: at least one segment. */
  | { readonly type: "everything" }
  | { readonly type: "choice"; readonly branches: readonly (readonly Token[])[] };

/** The states of tokens, before a state that follows them. Returns the first. */
function link(tokens: readonly Token[], end: State, dot: boolean): State {
  /** A wildcard matches neither a slash nor, at the beginning of a name, a dot. */
  const isWild = (character: string, isFirst: boolean): boolean =>
    character !== "/" && (dot || !isFirst || character !== ".");
  return tokens.reduceRight((next: State, token): State => {
    const state = (test: State["test"], after: State, free: State[] = []): State => ({
      ...(test === undefined ? {} : { test }),
      next: after,
      free,
      seen: 0,
    });
    switch (token.type) {
      case "literal":
        return state(
          (character, isFirst) =>
            character === token.character && (dot || token.isExplicit || !isFirst || character !== "."),
          next,
        );
      case "any":
        return state(isWild, next);
      case "class":
        return state((character, isFirst) => isWild(character, isFirst) && token.has(character), next);
      case "star": {
        const star: State = { test: isWild, free: [next], seen: 0 };
        star.next = star;
        return star;
      }
      case "directories": {
        const before: State = { test: isWild, free: [next], seen: 0 };
        const slash = state((character) => character === "/", before);
        const inside: State = { test: isWild, free: [slash], seen: 0 };
        inside.next = inside;
        before.next = inside;
        return before;
      }
      case "everything": {
        const before: State = { test: isWild, free: [], seen: 0 };
        const slash = state((character) => character === "/", before);
        const inside: State = { test: isWild, free: [slash, next], seen: 0 };
        inside.next = inside;
        before.next = inside;
        return before;
      }
      case "choice":
        return { free: token.branches.map((branch) => link(branch, next, dot)), seen: 0 };
      default:
        return token satisfies never;
    }
  }, end);
}

/** Where the parser is: the context of a token decides what a dot and `**` mean. */
interface Place {
  /** No character of the segment was read. */
  isStart: boolean;
  /** A wildcard of the segment was read that may be empty: a dot after it is not explicit. */
  hasStar: boolean;
}

function parse(pattern: string): Token[] {
  const characters = Array.from(pattern.replaceAll(/\/{2,}/gu, "/").replaceAll(/(?<=^|\/)\.\//gu, ""));
  if (characters[0] === "/") characters.shift();
  return parseRange(characters, 0, characters.length, { isStart: true, hasStar: false });
}

function parseRange(characters: readonly string[], from: number, to: number, place: Place): Token[] {
  const tokens: Token[] = [];
  const literal = (character: string): void => {
    tokens.push({ type: "literal", character, isExplicit: !place.hasStar });
    place.isStart = character === "/";
    if (character === "/") place.hasStar = false;
  };
  for (let at = from; at < to; at++) {
    const character = characters[at] ?? "";
    if (character === "\\" && at + 1 < to) {
      literal(characters[++at] ?? "");
    } else if (character === "?") {
      tokens.push({ type: "any" });
      place.isStart = false;
    } else if (character === "*") {
      const isSegment = place.isStart && characters[at + 1] === "*" && (at + 2 === to || characters[at + 2] === "/");
      while (at + 1 < to && characters[at + 1] === "*") at++;
      if (isSegment && at + 1 < to && characters[at + 1] === "/") {
        tokens.push({ type: "directories" });
        at++;
      } else {
        tokens.push({ type: isSegment ? "everything" : "star" });
        place.isStart = false;
        place.hasStar = true;
      }
    } else if (character === "[") {
      const end = classEnd(characters, at, to);
      if (end === undefined) literal(character);
      else {
        tokens.push({ type: "class", has: readClass(characters.slice(at + 1, end)) });
        place.isStart = false;
        at = end;
      }
    } else if (character === "{") {
      const cuts = choiceCuts(characters, at, to);
      if (cuts === undefined) literal(character);
      else {
        const places = cuts.slice(1).map(() => ({ ...place }));
        const branches = places.map((own, index) =>
          parseRange(characters, (cuts[index] ?? 0) + 1, cuts[index + 1] ?? 0, own),
        );
        tokens.push({ type: "choice", branches });
        place.isStart = places.every(({ isStart }) => isStart);
        place.hasStar = places.some(({ hasStar }) => hasStar);
        at = cuts.at(-1) ?? at;
      }
    } else literal(character);
  }
  return tokens;
}

/** The index of the `]` of a class. A `]` directly after its beginning belongs to it. A slash cannot. */
function classEnd(characters: readonly string[], start: number, to: number): number | undefined {
  const first = start + (["!", "^"].includes(characters[start + 1] ?? "") ? 2 : 1);
  for (let at = first; at < to; at++) {
    if (characters[at] === "/") return undefined;
    if (characters[at] === "]" && at > first) return at;
    if (characters[at] === "\\") at++;
  }
  return undefined;
}

function readClass(content: readonly string[]): (character: string) => boolean {
  const isNegated = ["!", "^"].includes(content[0] ?? "");
  const ranges: (readonly [from: number, to: number])[] = [];
  const pointAt = (at: number): number => content[at]?.codePointAt(0) ?? 0;
  for (let at = isNegated ? 1 : 0; at < content.length; at++) {
    if (content[at] === "\\" && at + 1 < content.length) at++;
    if (content[at + 1] === "-" && at + 2 < content.length) {
      ranges.push([pointAt(at), pointAt(at + 2)]);
      at += 2;
    } else ranges.push([pointAt(at), pointAt(at)]);
  }
  return (character) => {
    const point = character.codePointAt(0) ?? 0;
    return ranges.some(([from, to]) => from <= point && point <= to) !== isNegated;
  };
}

/** The indices of `{`, its commas and its `}`; undefined if it has no end or no comma. */
function choiceCuts(characters: readonly string[], start: number, to: number): readonly number[] | undefined {
  const cuts = [start];
  let depth = 0;
  for (let at = start; at < to; at++) {
    const character = characters[at];
    if (character === "\\") at++;
    else if (character === "{") depth++;
    else if (character === "," && depth === 1) cuts.push(at);
    else if (character === "}" && --depth === 0) return cuts.length === 1 ? undefined : [...cuts, at];
  }
  return undefined;
}
