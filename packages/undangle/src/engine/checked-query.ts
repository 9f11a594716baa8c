import { isRecord } from "#core";
import type { ThreadQuery } from "#store";

import { checkedOptions, isText, yesOrNo } from "./checked-options.ts";
import type { OptionCheck } from "./checked-options.ts";

/** Refuses an invalid query: a misspelt key would match everything. */
export const checkedQuery = (query: ThreadQuery): ThreadQuery => checkedOptions(query, names, checks);

const statuses: readonly unknown[] = ["idle", "running", "waiting"] satisfies readonly ThreadQuery["status"][];
const text: OptionCheck = { fits: isText, values: ["a string"] };

const checks: Readonly<Record<keyof ThreadQuery, OptionCheck>> = {
  search: text,
  idPrefix: text,
  status: { fits: (value) => statuses.includes(value), values: statuses.map(String) },
  isOwned: yesOrNo,
  dueBefore: { fits: Number.isFinite, values: ["a time in milliseconds"] },
  isDeleted: yesOrNo,
  limit: {
    fits: (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0),
    values: ["a whole number of at least 0"],
  },
  after: {
    fits: (value) => isRecord(value) && Number.isFinite(value["updatedAt"]) && isText(value["id"]),
    values: ["{ updatedAt, id } of the last thread of the previous page"],
  },
};

const names = Object.keys(checks) as (keyof ThreadQuery)[]; // exactly the keys of a query
