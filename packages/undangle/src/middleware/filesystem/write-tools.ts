import type { AnyTool } from "#engine";
import { comparablePath } from "#files";

import { decodeText, editText } from "./edit-text.ts";
import type { TextEdit } from "./edit-text.ts";
import { fileTool } from "./file-tool.ts";
import type { ArgumentsOfTool, FileTooling } from "./file-tool.ts";
import { hashOf } from "./filesystem-state.ts";
import { lineDiff } from "./line-diff.ts";

const encoder = new TextEncoder();

/** `write_file`, `edit_file` and `delete`. */
export const writeTools = (tooling: FileTooling): Readonly<Record<"write_file" | "edit_file" | "delete", AnyTool>> => ({
  write_file: fileTool("write_file", tooling, {
    run: async ({ file_path: given, content }, access, context) => {
      const path = await access.path(given, "write");
      const data = encoder.encode(content);
      const { isCreated } = await access.backend.write(path, data);
      if (tooling.mustRead) tooling.own(context).update({ type: "read", path, hash: hashOf(data) });
      return access.texts.written(path, isCreated);
    },
    async render({ file_path: given, content }, access) {
      const path = await access.path(given, "read");
      const isNew = (await access.backend.stat(path)) === undefined;
      const before = isNew ? "" : decodeText(await access.backend.read(path));
      return before === undefined ? undefined : { type: "diff", path, text: lineDiff(before, content) };
    },
  }),

  edit_file: fileTool("edit_file", tooling, {
    run: async (args, access, context) => {
      const { texts, backend } = access;
      const path = await access.path(args.file_path, "write");
      await access.path(args.file_path, "read"); // its errors say what the file contains
      const edit = editOf(args);
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
    },
    async render(args, access) {
      const path = await access.path(args.file_path, "read");
      const before = decodeText(await access.backend.read(path));
      const edited = before === undefined ? undefined : editText(before, editOf(args));
      if (before === undefined || edited === undefined || edited.problem !== undefined) return undefined;
      return { type: "diff", path, text: lineDiff(before, edited.text) };
    },
  }),

  delete: fileTool("delete", tooling, {
    run: async ({ file_path: given }, access) => {
      const { backend, texts } = access;
      const { path, checkDirectory } = await access.deletion(given);
      if (backend.delete === undefined) throw new Error(texts.unsupported(tooling.names.delete));
      if (path === "/") throw new Error(texts.rootDeleted);
      const isDirectory = (await backend.stat(path))?.type === "directory";
      if (isDirectory) checkDirectory();
      const { files, failures = [] } = await backend.delete(path);
      if (failures.length > 0) throw new Error(texts.notDeleted(failures));
      return texts.deleted(path, files, isDirectory);
    },
  }),
});

const editOf = (args: ArgumentsOfTool<"edit_file">): TextEdit => ({
  old: args.old_string,
  new: args.new_string,
  isAll: args.replace_all ?? false,
});
