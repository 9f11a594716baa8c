/** Adds an argument delta at its JSON path; text at the same path is appended. False for an invalid path. */
export function putAt(root: Record<string, unknown>, path: string, value: unknown): boolean {
  const steps = stepsOf(path);
  const last = steps?.at(-1);
  if (steps === undefined || last === undefined) return false;
  let holder: Holder = root;
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const known = read(holder, step);
    // A copy, because the value may belong to a caller's frame.
    const child: Holder = isHolder(known) ? copyOf(known) : typeof steps[i + 1] === "number" ? [] : {};
    if (known !== undefined && !isHolder(known)) return false;
    if (!write(holder, step, child)) return false;
    holder = child;
  }
  const known = read(holder, last);
  return write(holder, last, typeof known === "string" && typeof value === "string" ? known + value : value);
}

type Step = string | number;
type Holder = Record<string, unknown> | unknown[];

const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null;

const copyOf = (holder: Holder): Holder => (Array.isArray(holder) ? [...holder] : { ...holder });

const steps = /\.([^.[\]]+)|\[(\d+)\]|\[(?:"([^"]*)"|'([^']*)')\]/uy;

/** The keys and indexes of a path such as `$.opts.days` or `$.tags[0]["a b"]`; undefined if it is invalid. */
function stepsOf(path: string): readonly Step[] | undefined {
  const found: Step[] = [];
  const text = path.startsWith("$") ? path.slice(1) : `.${path}`;
  const pattern = new RegExp(steps);
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const [, key, index, double, single] = match;
    found.push(index === undefined ? (key ?? double ?? single ?? "") : Number(index));
  }
  return found;
}

function read(holder: Holder, step: Step): unknown {
  return Object.hasOwn(holder, step) ? (holder as Record<Step, unknown>)[step] : undefined; // list indexes are numbers
}

/** Defines `__proto__` as an ordinary key. Lists get no holes. */
function write(holder: Holder, step: Step, value: unknown): boolean {
  if (Array.isArray(holder) && (typeof step !== "number" || step > holder.length)) return false;
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
