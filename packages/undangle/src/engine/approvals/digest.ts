import { hash } from "node:crypto";

/** Binds a decision to what was shown to the person: the name of the tool and the text of the arguments. */
export const digestOf = (name: string, raw: string): string => hash("sha256", `${name}\u0000${raw}`, "hex");
