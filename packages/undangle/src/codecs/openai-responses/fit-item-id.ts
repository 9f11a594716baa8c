import { hashHex } from "#core";
import type { Source } from "#core";

import type { Context } from "./context.ts";
import { idOf, isMessage, mayOmitId, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import type { ResponsesProfile } from "./profile.ts";

/** The key by which the response to an approval request, and the call that was approved, name that request. */
const approvalKey = "approval_request_id";

/** True when the API takes the id of the item and the id of the approval request that it names. */
export function hasFittingId(item: Item, profile: ResponsesProfile): boolean {
  return !isTooLong(item["id"], profile) && !isTooLong(item[approvalKey], profile) && hasPrefix(item, profile);
}

const isTooLong = (id: unknown, { longestItemId }: ResponsesProfile): boolean =>
  typeof id === "string" && id.length > longestItemId;

/** The id of a message begins with `msg`; those of calls are judged with their calls. */
function hasPrefix(item: Item, { refusesChatKeys }: ResponsesProfile): boolean {
  const id = isMessage(item) && refusesChatKeys ? idOf(item) : undefined;
  return id === undefined || id.startsWith("msg");
}

/**
 * The item with valid ids. An optional id is removed; any other is replaced by a hash, the same everywhere, so that an
 * approval still names its request.
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
      doomed.set(source, { finding, lossless: false }); // only the server has it, under an id that it cannot have given
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

/** A hash of the id, with the prefix that it had. */
const shortened = (id: string): string => `${/^[a-z]{1,16}_/u.exec(id)?.[0] ?? "item_"}${hashHex(id)}`;
