/** The value of a partial JSON object. Only for display: it may still grow, and must not be executed. */
export interface Preview {
  readonly add: (text: string) => void;
  /** The value so far. Undefined before its start. The same objects are updated with each delta. */
  readonly value: () => unknown;
}

/** Parses JSON incrementally. Each character is read once, when the value is requested. */
export function createPreview(): Preview {
  const stack: Frame[] = [];
  let unread: string[] = [];
  let root: unknown;
  let state: "value" | "string" | "word" | "between" | "broken" = "value";
  let text = "";
  let escape: string | undefined;
  let isKey = false;
  let isHalf = false; // the string ends inside a surrogate pair

  const put = (value: unknown): void => {
    const top = stack.at(-1);
    if (top === undefined) root = value;
    else if (Array.isArray(top.holder)) top.holder[top.index] = value;
    else if (top.key !== undefined) define(top.holder, top.key, value);
  };

  const open = (holder: Record<string, unknown> | unknown[]): void => {
    put(holder);
    stack.push({ holder, key: undefined, index: 0 });
    state = "value";
  };

  const close = (): void => {
    stack.pop();
    state = "between";
  };

  const word = (): void => {
    if (text === "") return;
    const known = words.get(text);
    const number = Number(text);
    if (known !== undefined || text === "null") put(known ?? null);
    else if (Number.isNaN(number)) state = "broken";
    else put(number);
    text = "";
  };

  /** Handles one character of a string. Incomplete escapes are held. */
  const spell = (sign: string): void => {
    if (escape !== undefined) {
      escape += sign;
      const meant = unescape(escape);
      if (meant === undefined) return;
      write(meant);
      escape = undefined;
    } else if (sign === "\\") escape = "";
    else if (sign === '"') {
      const top = stack.at(-1);
      if (isKey && top !== undefined) top.key = text;
      else put(text);
      state = "between";
    } else write(sign);
  };

  const write = (sign: string): void => {
    text += sign;
    isHalf = sign.length === 1 && sign >= "\ud800" && sign <= "\udbff";
  };

  const between = (sign: string): void => {
    const top = stack.at(-1);
    if (sign === "}" || sign === "]") close();
    else if (sign === "," && top !== undefined) {
      top.key = undefined;
      top.index++;
      state = "value";
    } else if (sign === ":") state = "value";
    else if (!isBlank(sign)) state = "broken";
  };

  const begin = (sign: string): void => {
    const top = stack.at(-1);
    if (isBlank(sign)) return;
    if (sign === "{") open({});
    else if (sign === "[") open([]);
    else if (sign === "}" || sign === "]") close();
    else if (sign === '"') {
      isKey = top !== undefined && !Array.isArray(top.holder) && top.key === undefined;
      text = "";
      isHalf = false;
      state = "string";
    } else {
      text = sign;
      state = "word";
    }
  };

  const read = (sign: string): void => {
    if (state === "string") spell(sign);
    else if (state === "value") begin(sign);
    else if (state === "between") between(sign);
    else if (state === "word") {
      if (!/[\s,}\]]/u.test(sign)) text += sign;
      else {
        word();
        if (state === "word") state = "between";
        between(sign);
      }
    }
  };

  return {
    add(more) {
      unread.push(more);
    },
    value() {
      for (const more of unread) for (const sign of more) read(sign);
      unread = [];
      if (state === "string" && !isKey) put(isHalf ? text.slice(0, -1) : text);
      return root;
    },
  };
}

interface Frame {
  readonly holder: Record<string, unknown> | unknown[];
  key: string | undefined;
  index: number;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const isBlank = (sign: string): boolean => sign.trim() === "";

/** Defines `__proto__` as an ordinary key. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const short: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The character of an escape without its backslash. Undefined if it is incomplete. */
function unescape(escape: string): string | undefined {
  if (!escape.startsWith("u")) return short.get(escape) ?? escape;
  return escape.length < 5 ? undefined : String.fromCharCode(Number.parseInt(escape.slice(1), 16) || 0);
}
