import { hash } from "node:crypto";

/** Binds a decision to what the person saw: the tool name and the argument text. */
export const digestOf = (name: string, raw: string): string => hash("sha256", `${name}\u0000${raw}`, "hex");
