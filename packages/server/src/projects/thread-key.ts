import { localProject } from "../access/identity.ts";
import { ApiError } from "../responses/api-error.ts";

const longestId = 200;

/** URLs cannot contain these as path segments. */
const places: readonly string[] = [".", ".."];

/**
 * The id of a thread in the store. Ids of the local project have no prefix, so that the command line finds the same
 * threads.
 */
export function keyOf(project: string, id: string): string {
  if (id === "" || id.length > longestId || id.includes("/") || places.includes(id) || !id.isWellFormed())
    throw new ApiError(
      400,
      "thread/id",
      `The id of a thread must have 1 to ${longestId} characters and no slash (/). It cannot be "." or "..".`,
      { param: "thread_id" },
    );
  return project === localProject ? id : `${project}/${id}`;
}

export const projectOf = (key: string): string => (key.includes("/") ? key.slice(0, key.indexOf("/")) : localProject);

/** The id within the project. */
export const publicId = (project: string, key: string): string =>
  project === localProject ? key : key.slice(project.length + 1);
