import { isRecord } from "#core";

/** Text and reasoning parts, which the SDK accepts only under an id that was started. */
export interface SaidParts {
  /** The parts to pass for a part: the part itself, unless its id was never started. */
  take(part: unknown): readonly unknown[];
}

export function createSaidParts(): SaidParts {
  const open: { readonly kind: string; readonly id: unknown }[] = [];
  return {
    take(part) {
      if (!isRecord(part)) return [part];
      const { type, id } = part;
      const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/u.exec(typeof type === "string" ? type : "") ?? [];
      if (kind === undefined) return [part];
      if (step === "start") {
        open.push({ kind, id });
        return [part];
      }
      const begun = open.find((one) => one.kind === kind && one.id === id) ?? open.findLast((one) => one.kind === kind);
      if (step === "end") {
        if (begun === undefined) return [];
        open.splice(open.indexOf(begun), 1);
      } else if (begun === undefined) {
        open.push({ kind, id });
        return [{ type: `${kind}-start`, id }, part];
      }
      return [begun === undefined || begun.id === id ? part : { ...part, id: begun.id }];
    },
  };
}
