import { hashHex, isRecord } from "#core";

import { isInstance, kindOfMessage } from "../envelope.ts";
import type { Envelope, Fields } from "../envelope.ts";

/** The types of messages that a repair adds. */
type Made = "human" | "ai" | "tool";

/** Creates messages in the form of the existing ones. */
export interface Mould {
  /** A new message in the form of its neighbour. */
  make(kind: Made, fields: Fields, near: Envelope | undefined): Pick<Envelope, "prefix"> & { readonly wire: unknown };
  /** Generates a message id that depends only on the seed. */
  mintId(seed: string): string;
}

type MessageClass = new (fields: Fields) => object;

const classNames: Readonly<Record<Made, string>> = { human: "HumanMessage", ai: "AIMessage", tool: "ToolMessage" };

const chatRoles: Readonly<Record<Made, string>> = { human: "user", ai: "assistant", tool: "tool" };

export function createMould(list: readonly unknown[]): Mould {
  const times = new Map<string, number>();
  const classes = new Map<Made, MessageClass | undefined>();
  const classOf = (kind: Made, near: Fields): MessageClass | undefined => {
    if (!classes.has(kind)) classes.set(kind, findClass(list, kind) ?? deriveClass(near, kind));
    return classes.get(kind);
  };
  return {
    make(kind, given, near) {
      if (near?.form === "instance") {
        const Message = classOf(kind, near.wire);
        if (Message !== undefined) return { wire: new Message(complete(given)), prefix: "" };
      }
      if (near?.form === "stored") return { wire: { type: kind, data: complete(given) }, prefix: ".data" };
      if (near?.form === "constructor") return { wire: serialised(kind, complete(given), near), prefix: ".kwargs" };
      const isChat = near?.form === "flat" && typeof near.wire["type"] !== "string";
      return { wire: isChat ? { role: chatRoles[kind], ...given } : { type: kind, ...given }, prefix: "" };
    },
    mintId(seed) {
      const time = times.get(seed) ?? 0;
      times.set(seed, time + 1);
      return `undangle-${hashHex(time === 0 ? seed : `${seed}\u0000${time}`)}`;
    },
  };
}

/** Adds the fields that every message class has. */
const complete = (given: Fields): Fields => ({ additional_kwargs: {}, response_metadata: {}, ...given });

function serialised(kind: Made, fields: Fields, { wire, fields: kwargs }: Envelope): Fields {
  const space = Array.isArray(wire["id"]) ? (wire["id"] as readonly unknown[]).slice(0, -1) : [];
  const typed = "type" in kwargs ? { ...fields, type: kind } : fields; // Python writes it there too
  return { lc: 1, type: "constructor", id: [...space, classNames[kind]], kwargs: typed };
}

/** Copies a message with changed fields. The class and all other properties are kept. */
export function rewrite({ form, wire, fields }: Envelope, changes: Fields): unknown {
  if (form === "stored") return { ...wire, data: { ...fields, ...changes } };
  if (form === "constructor") return { ...wire, kwargs: { ...fields, ...changes } };
  if (form === "flat") return { ...wire, ...changes };
  // Constructors differ between versions, emit warnings and change their input, so the copy does not use them.
  const kwargs = wire["lc_kwargs"];
  const all = isRecord(kwargs) ? { ...changes, lc_kwargs: { ...kwargs, ...changes } } : changes;
  const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(wire);
  for (const [key, value] of Object.entries(all)) {
    own[key] = { value, writable: true, enumerable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(wire) as object | null, own);
}

/** The message class of an instance in the list. */
function findClass(list: readonly unknown[], kind: Made): MessageClass | undefined {
  for (const message of list) {
    if (!isRecord(message) || !isInstance(message) || kindOfMessage(message) !== kind) continue;
    const found = ancestors(message).find((one) => nameOf(one) === classNames[kind]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * A subclass of the base class of the neighbours, if no message shows the class. LangChain identifies messages by their
 * fields, not their constructor, and serializes this one under the name of its own class.
 */
function deriveClass(near: Fields, kind: Made): MessageClass | undefined {
  const Base = ancestors(near).find((one) => nameOf(one) === "BaseMessage");
  if (Base === undefined) return undefined;
  const name = classNames[kind];
  return class extends Base {
    static lc_name(): string {
      return name;
    }
    constructor(fields: Fields) {
      super(fields);
      Object.assign(this, { ...own[kind], ...pick(fields, ownKeys[kind]), type: kind });
    }
    _getType(): string {
      return kind;
    }
    getType(): string {
      return kind;
    }
  };
}

const own: Readonly<Record<Made, Fields>> = {
  human: {},
  ai: { tool_calls: [], invalid_tool_calls: [], usage_metadata: undefined },
  tool: { lc_direct_tool_output: true, artifact: undefined },
};

const ownKeys: Readonly<Record<Made, readonly string[]>> = {
  human: [],
  ai: ["tool_calls"],
  tool: ["tool_call_id", "status"],
};

const pick = (fields: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.map((key) => [key, fields[key]]));

/** The classes of an instance, starting with its own. */
function ancestors(message: Fields): MessageClass[] {
  const found: MessageClass[] = [];
  for (let each: unknown = Object.getPrototypeOf(message); isRecord(each); each = Object.getPrototypeOf(each)) {
    const { constructor } = each;
    if (typeof constructor === "function") found.push(constructor as MessageClass); // its fields are the first parameter in every version
  }
  return found;
}

/** The registered name of a class, which minifiers do not change. */
function nameOf(of: MessageClass & { lc_name?(): unknown }): string {
  return typeof of.lc_name === "function" ? String(of.lc_name()) : of.name;
}
