import type { AnyTool } from "#engine";
import { comparablePath } from "#files";

import { editText } from "./edit-text.ts";
import { fileTool } from "./file-tool.ts";
import type { FileTooling } from "./file-tool.ts";
import { hashOf } from "./filesystem-state.ts";
import { decodeText } from "./media-types.ts";

const encoder = new TextEncoder();

/** `write_file`, `edit_file` and `delete`. */
export const writeTools = (tooling: FileTooling): Readonly<Record<"write_file" | "edit_file" | "delete", AnyTool>> => ({
  write_file: fileTool("write_file", tooling, async ({ file_path: given, content }, access, context) => {
    const path = access.path(given, "write");
    const data = encoder.encode(content);
    const { isCreated } = await access.backend.write(path, data);
    if (tooling.mustRead) tooling.own(context).update({ type: "read", path, hash: hashOf(data) });
    return access.texts.written(path, isCreated);
  }),

  edit_file: fileTool("edit_file", tooling, async (args, access, context) => {
    const { texts, backend } = access;
    const path = access.path(args.file_path, "write");
    access.path(args.file_path, "read"); // its errors say what the file contains
    const edit = { old: args.old_string, new: args.new_string, isAll: args.replace_all ?? false };
    let count = 0;
    let hash = "";
    await backend.update(path, (data) => {
      if (tooling.mustRead && tooling.own(context).get().read?.[comparablePath(path)] !== hashOf(data))
        throw new Error(texts.notRead(path));
      const text = decodeText(data);
      if (text === undefined) throw new Error(texts.notText(path));
      const edited = editText(text, edit);
      if (edited.problem !== undefined) throw new Error(texts.notEdited(path, edited.problem));
      const changed = encoder.encode(edited.text);
      count = edited.count;
      hash = hashOf(changed);
      return changed;
    });
    if (tooling.mustRead) tooling.own(context).update({ type: "read", path, hash });
    return texts.edited(path, count);
  }),

  delete: fileTool("delete", tooling, async ({ file_path: given }, access) => {
    const { backend, texts } = access;
    const path = access.path(given, "write");
    if (backend.delete === undefined) throw new Error(texts.unsupported(tooling.names.delete));
    if (path === "/") throw new Error(texts.rootDeleted);
    const isDirectory = (await backend.stat(path))?.type === "directory";
    access.checkDeletion(path, isDirectory);
    const { files, failures = [] } = await backend.delete(path);
    if (failures.length > 0) throw new Error(texts.notDeleted(failures));
    return texts.deleted(path, files, isDirectory);
  }),
});
