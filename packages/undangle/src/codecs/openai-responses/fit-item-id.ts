import { hashHex } from "#core";
import type { Source } from "#core";

import type { Context } from "./context.ts";
import { idOf, isMessage, mayOmitId, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import type { ResponsesProfile } from "./profile.ts";

/** The key with which an approval response and an approved call reference the approval request. */
const approvalKey = "approval_request_id";

/** True if the API accepts the id of the item, and the id of the approval request that it references. */
export function hasFittingId(item: Item, profile: ResponsesProfile): boolean {
  return !isTooLong(item["id"], profile) && !isTooLong(item[approvalKey], profile) && hasPrefix(item, profile);
}

const isTooLong = (id: unknown, { longestItemId }: ResponsesProfile): boolean =>
  typeof id === "string" && id.length > longestItemId;

/** Message ids must start with `msg`. The ids of calls are checked with the calls. */
function hasPrefix(item: Item, { refusesChatKeys }: ResponsesProfile): boolean {
  const id = isMessage(item) && refusesChatKeys ? idOf(item) : undefined;
  return id === undefined || id.startsWith("msg");
}

/**
 * Makes the ids of an item valid. An optional id is removed. Any other id is replaced by a hash, which is the same
 * everywhere, so that an approval still references its request.
 */
export function fitItemId(given: Item, source: Source, { journal, profile, doomed }: Context): Item {
  if (hasFittingId(given, profile)) return given;
  let item = given;
  if (!hasPrefix(item, profile)) {
    const finding = { rule: "item-id-prefix" as const, message: "The id of a message must begin with msg." };
    journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
    item = withoutKeys(item, ["id"]);
  }
  for (const key of ["id", approvalKey]) {
    const id = item[key];
    if (typeof id !== "string" || !isTooLong(id, profile)) continue;
    const message = `The ${key} has ${id.length} characters, more than ${profile.longestItemId}.`;
    const finding = { rule: "item-id-length" as const, message };
    if (item["type"] === "item_reference") journal.note({ source, suffix: `.${key}` }, finding);
    else if (item["type"] === "reasoning" && !item["encrypted_content"]) {
      doomed.set(source, { finding, lossless: false }); // stored reasoning, with an id that the server cannot have issued
    } else if (key === "id" && mayOmitId(item)) {
      journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
      item = withoutKeys(item, ["id"]);
    } else {
      journal.note({ source, suffix: `.${key}` }, finding, { type: "rename" });
      item = { ...item, [key]: shortened(id) };
    }
  }
  return item;
}

/** A hash of the id with its original prefix. */
const shortened = (id: string): string => `${/^[a-z]{1,16}_/u.exec(id)?.[0] ?? "item_"}${hashHex(id)}`;
