import { dataOf, object, textByName } from "../json-schema.ts";
import { empty, json, rateHeaders } from "../operation.ts";
import type { Operation } from "../operation.ts";

/** Sessions, keys and allowances. */
export const accessOperations: Readonly<Record<string, Operation>> = {
  "POST /session": {
    id: "openSession",
    tag: "Access",
    summary: "Exchanges a key for a cookie",
    description:
      "For pages in a browser, so that they need not keep the key. A server without keys accepts any text and sets no cookie.",
    scope: "public",
    responses: { 200: json("The session.", "Session", ["set-cookie", ...rateHeaders]) },
    errors: [401, 403, 429, 503],
  },
  "GET /session": {
    id: "getSession",
    tag: "Access",
    summary: "Describes the caller",
    scope: "any",
    responses: { 200: json("The caller.", "Session") },
  },
  "DELETE /session": {
    id: "closeSession",
    tag: "Access",
    summary: "Closes the session",
    scope: "any",
    responses: { 204: empty("The session is closed.", ["set-cookie"]) },
  },
  "GET /keys": {
    id: "listKeys",
    tag: "Access",
    summary: "Lists the keys of the project",
    scope: "admin",
    responses: { 200: json("The keys, without their texts.", dataOf("Key")) },
  },
  "GET /key-names": {
    id: "listKeyNames",
    tag: "Access",
    summary: "Lists the names of the keys",
    description: "Decisions and allowances record who made them as `key:ID`.",
    scope: ["threads", "approve"],
    responses: { 200: json("The names, by what is recorded.", object({ data: textByName })) },
  },
  "POST /keys": {
    id: "createKey",
    tag: "Access",
    summary: "Creates a key",
    description: "The first key of a server needs the scope `admin`.",
    scope: "admin",
    responses: { 201: json("The new key, with its text.", "NewKey") },
    errors: [409],
  },
  "DELETE /keys/{key}": {
    id: "revokeKey",
    tag: "Access",
    summary: "Revokes a key",
    scope: "admin",
    responses: { 204: empty("The key is revoked.") },
    errors: [404],
  },
  "GET /allowances": {
    id: "listAllowances",
    tag: "Access",
    summary: "Lists the allowances of the project",
    description: "Of all personas and threads.",
    scope: "approve",
    responses: { 200: json("The allowances.", dataOf("ProjectAllowance")) },
  },
  "DELETE /allowances/{allowance}": {
    id: "revokeProjectAllowance",
    tag: "Access",
    summary: "Revokes an allowance of the project",
    description: "From the next call on.",
    scope: "approve",
    responses: { 204: empty("The allowance is revoked.") },
    errors: [404, 409],
  },
  "GET /threads/{id}/allowances": {
    id: "listThreadAllowances",
    tag: "Access",
    summary: "Lists the allowances that apply in a thread",
    description: "Those of the thread, and those of all threads of its persona.",
    scope: "approve",
    responses: { 200: json("The allowances.", dataOf("Allowance")) },
    errors: [404, 409, 410],
  },
  "DELETE /threads/{id}/allowances/{allowance}": {
    id: "revokeAllowance",
    tag: "Access",
    summary: "Revokes an allowance",
    description: "From the next call on.",
    scope: "approve",
    responses: { 204: empty("The allowance is revoked.") },
    errors: [404, 409, 410],
  },
};
