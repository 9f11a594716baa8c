import type { RemoteRepair } from "undangle/client";

export interface RepairGroup {
  readonly rule: string;
  readonly repairs: readonly RemoteRepair[];
}

/** The repairs by rule, the most frequent rule first. */
export function groupsOf(repairs: readonly RemoteRepair[]): readonly RepairGroup[] {
  return [...Map.groupBy(repairs, ({ rule }) => rule)]
    .map(([rule, ofRule]) => ({ rule, repairs: ofRule }))
    .sort((one, other) => other.repairs.length - one.repairs.length);
}

/** Both values of an edit as texts; undefined if another edit of the same place contains them. */
export function sidesOf({
  edit,
}: Pick<RemoteRepair, "edit">): { readonly before: string; readonly after: string } | undefined {
  if (edit === undefined || (edit.before === undefined && edit.after === undefined)) return undefined;
  return { before: textOf(edit.before), after: textOf(edit.after) };
}

const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");

/** Rules of the catalogue can be explained. A response names the anomaly of its stream instead. */
export const isExplained = ({ source }: Pick<RemoteRepair, "source">): boolean => source !== "response";
