import type { Dialect, Means } from "../dialect.ts";
import { hashHex } from "../hash.ts";
import { acceptsName } from "../profile.ts";
import type { NameProfile } from "../profile.ts";
import { shorten } from "./describe.ts";
import type { Matching } from "./match.ts";
import type { Turn } from "./turns.ts";

/** The placeholder for an unknown tool name. */
const unknownTool = "unknown_tool";

/** Gives every call a valid name. */
export function nameCalls({ turns }: Matching, { dialect, journal }: Means): void {
  const { names } = dialect.profile;
  const accepted = new Set<string>();
  const namesById = createNames(turns);
  for (const { assistants } of turns) {
    for (const assistant of assistants) {
      for (const call of assistant.calls) {
        if (accepted.has(call.name)) continue;
        if (acceptsName(call.name, names)) {
          accepted.add(call.name);
          continue;
        }
        const missing = call.name === "";
        const name = missing
          ? nameOf(call.id, call.result?.name ?? "", namesById, dialect)
          : sanitise(call.name, names);
        const from = dialect.from(assistant, call);
        journal.report(
          {
            rule: missing ? "missing-name" : "invalid-name",
            from: from === undefined ? undefined : from + dialect.fields.name,
            message: missing ? "The call has no name." : `The provider refuses the name ${shorten(call.name)}.`,
            callId: call.id,
          },
          {
            type: "rename",
            entry: assistant,
            call,
            suffix: dialect.fields.name,
            lossless: missing,
            reconstructed: missing,
          },
        );
        call.name = name;
        call.fresh = true;
        assistant.fresh = true;
      }
    }
  }
}

export type NamesById = (id: string) => string | undefined;

/** Looks up names by id; the table is built on demand. */
export function createNames(turns: readonly Turn[]): NamesById {
  let table: Map<string, string> | undefined;
  return (id) => {
    if (table === undefined) {
      table = new Map();
      for (const { calls } of turns) {
        for (const call of calls) if (call.name !== "" && !table.has(call.id)) table.set(call.id, call.name);
      }
    }
    return id === "" ? undefined : table.get(id);
  };
}

/** The most likely name of a call: from its result, another call with its id, its id, or the only tool. */
export function nameOf(id: string, resultName: string, namesById: NamesById, dialect: Dialect): string {
  const only = dialect.toolNames.length === 1 ? dialect.toolNames[0] : undefined;
  const name = resultName || namesById(id) || nameInId(id) || only || unknownTool;
  return acceptsName(name, dialect.profile.names) ? name : sanitise(name, dialect.profile.names);
}

/** Some models put the tool name into ids: `Bash:0`, `functions.Bash:0`. */
function nameInId(id: string): string | undefined {
  return /^(?:functions\.)?([A-Za-z_][\w.-]*):\d+$/.exec(id)?.[1];
}

/** The name with refused characters replaced; a long name is cut and gets a hash. */
export function sanitise(name: string, profile: NameProfile): string {
  const taken = Array.from(name, (character) => (profile.pattern.test(character) ? character : "_")).join("");
  const whole = profile.first?.test(taken) === false ? `_${taken}` : taken;
  if (whole.length <= profile.longest) return acceptsName(whole, profile) ? whole : unknownTool;
  const cut = `${whole.slice(0, profile.longest - 9)}_${hashHex(name).slice(0, 8)}`;
  return acceptsName(cut, profile) ? cut : unknownTool;
}
