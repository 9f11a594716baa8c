import { bytes, dataOf } from "../json-schema.ts";
import { empty, json } from "../operation.ts";
import type { Operation } from "../operation.ts";

/** Files of threads. */
export const fileOperations: Readonly<Record<string, Operation>> = {
  "GET /threads/{id}/files": {
    id: "listFiles",
    tag: "Files",
    summary: "Lists files",
    description: "Sorted by path.",
    scope: "threads",
    responses: { 200: json("The files.", dataOf("File")) },
    errors: [404, 410],
  },
  "GET /threads/{id}/files/{path}": {
    id: "readFile",
    tag: "Files",
    summary: "Reads a file",
    description: "The type of the content follows from the ending of the path.",
    scope: "threads",
    headers: ["If-None-Match"],
    responses: {
      200: {
        description: "The content.",
        content: { "*/*": bytes },
        headers: ["etag", "content-disposition"],
      },
      304: empty("The content is known.", ["etag"]),
    },
    errors: [404, 410],
  },
  "PUT /threads/{id}/files/{path}": {
    id: "writeFile",
    tag: "Files",
    summary: "Creates or replaces a file",
    scope: "threads",
    responses: { 201: empty("The file is created.", ["location"]), 204: empty("The file is replaced.") },
    errors: [404, 409, 410],
  },
  "DELETE /threads/{id}/files/{path}": {
    id: "deleteFile",
    tag: "Files",
    summary: "Deletes a file",
    scope: "threads",
    responses: { 204: empty("The file is deleted.") },
    errors: [404, 409, 410],
  },
};
