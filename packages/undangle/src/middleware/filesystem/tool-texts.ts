import type { Language } from "#core";
import type { ToolAnnotations } from "#engine";

/** The tools, in the order in which models get them. */
export const fileToolNames = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "delete",
  "glob",
  "grep",
  "execute",
] as const;

export type FileToolName = (typeof fileToolNames)[number];

/** The name of each tool for the model. */
export type ToolNames = Readonly<Record<FileToolName, string>>;

/** What the tools do, for people. */
export const toolAnnotations: Readonly<Record<FileToolName, ToolAnnotations>> = {
  ls: { readOnly: true },
  read_file: { readOnly: true },
  write_file: { edits: true },
  edit_file: { edits: true },
  delete: { destructive: true },
  glob: { readOnly: true },
  grep: { readOnly: true },
  execute: { destructive: true },
};

/** The descriptions of the tools for the model. They name other tools as the model knows them. */
export const toolDescriptions: Readonly<
  Record<Language, Readonly<Record<FileToolName, (names: ToolNames) => string>>>
> = {
  en: {
    ls: () => "Lists a directory: subdirectories first, then files with their size.",
    read_file: ({ grep }) =>
      `Reads a file. Text is shown with line numbers, which are not part of the file, two spaces, and the line. A line over 5,000 characters continues in rows 5.1, 5.2. By default the first 100 lines are read; use offset and limit for the rest. Use ${grep} to find the place in a large file first. Images, PDF, audio and video are returned as media.`,
    write_file: ({ edit_file }) =>
      `Creates a file, or replaces it completely. Directories are created. To change a part of a file, use ${edit_file}.`,
    edit_file: ({ read_file }) =>
      `Replaces text in a file. Read it first with ${read_file}. old_string must be exactly what the file contains, without line numbers, and must occur once, unless replace_all is set.`,
    delete: () => "Deletes a file, or a directory with everything in it. This cannot be undone.",
    glob: () =>
      "Finds files by name. A pattern without / matches names at any depth (*.py); with / it matches the path from the directory (src/**/*.ts). Names that begin with a dot match only patterns that do.",
    grep: () =>
      "Searches the content of files for a literal text, or for a regular expression if regex is set. Shows the files by default; output_mode content shows the lines, count the number of matches.",
    execute: ({ read_file }) =>
      `Runs a shell command in a sandbox and returns its output and exit code. There is no input. A long output is stored in a file, to be read with ${read_file}.`,
  },
  zh: {
    ls: () => "列出目录：先列子目录，再列文件及其大小。",
    read_file: ({ grep }) =>
      `读取文件。文本每行前有行号和两个空格，行号不是文件内容。超过 5000 个字符的行分成 5.1、5.2 等继续显示。默认读取前 100 行，其余用 offset 和 limit 读取。大文件请先用 ${grep} 定位。图像、PDF、音频和视频以媒体形式返回。`,
    write_file: ({ edit_file }) => `创建文件，或完整替换文件内容。会自动创建目录。只改一部分时请用 ${edit_file}。`,
    edit_file: ({ read_file }) =>
      `替换文件中的文本。请先用 ${read_file} 读取。old_string 必须与文件内容完全一致（不含行号），并且只出现一次，除非设置了 replace_all。`,
    delete: () => "删除文件，或删除目录及其全部内容。无法撤销。",
    glob: () =>
      "按名称查找文件。不含 / 的模式匹配任意深度的文件名（*.py）；含 / 的模式匹配从该目录开始的路径（src/**/*.ts）。以点开头的名称只匹配以点开头的模式。",
    grep: () =>
      "在文件内容中查找字面文本；设置 regex 时按正则表达式查找。默认显示文件；output_mode 为 content 时显示匹配行，为 count 时显示匹配数。",
    execute: ({ read_file }) =>
      `在沙箱中运行 shell 命令，返回输出和退出码。没有输入。过长的输出会保存到文件，可用 ${read_file} 读取。`,
  },
};

const text = (description: string) => ({ type: "string", description }) as const;
const path = text("The path of the file. It begins with /.");
const count = (description: string) => ({ type: "integer", description }) as const;
const object = { type: "object", additionalProperties: false } as const;

/** The arguments of the tools. Unknown ones are refused. */
export const toolInputs = {
  ls: { ...object, properties: { path: text("The directory. / by default.") } },
  read_file: {
    ...object,
    properties: {
      file_path: path,
      offset: count("How many lines to skip. 0 by default."),
      limit: count("How many lines to read. 100 by default."),
      column: {
        type: "integer",
        minimum: 0,
        description: "How many characters of the first line to skip, to continue a very long line. 0 by default.",
      },
    },
    required: ["file_path"],
  },
  write_file: {
    ...object,
    properties: { file_path: path, content: text("The whole content of the file.") },
    required: ["file_path", "content"],
  },
  edit_file: {
    ...object,
    properties: {
      file_path: path,
      old_string: text("The text to replace. Empty only for an empty file."),
      new_string: text("The text to insert."),
      replace_all: { type: "boolean", description: "True replaces every occurrence. False by default." },
    },
    required: ["file_path", "old_string", "new_string"],
  },
  delete: { ...object, properties: { file_path: path }, required: ["file_path"] },
  glob: {
    ...object,
    properties: {
      pattern: { type: "string", minLength: 1, description: "The pattern, with *, ?, **, [a-z] and {a,b}." },
      path: text("The directory to search. / by default."),
    },
    required: ["pattern"],
  },
  grep: {
    ...object,
    properties: {
      pattern: { type: "string", minLength: 1, description: "The text, or the regular expression if regex is set." },
      path: text("The file or directory to search. / by default."),
      glob: text("Limits the search to files that match, relative to the path."),
      output_mode: {
        type: "string",
        enum: ["files_with_matches", "content", "count"],
        description: "What to show. files_with_matches by default.",
      },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 50,
        description: "Lines to show before and after each match, with output_mode content. 0 by default.",
      },
      regex: { type: "boolean", description: "True if the pattern is a regular expression. False by default." },
      max_count: { type: "integer", minimum: 1, description: "The largest number of matches. 1000 by default." },
    },
    required: ["pattern"],
  },
  execute: {
    ...object,
    properties: {
      command: { type: "string", minLength: 1, description: "The command." },
      timeout: {
        type: "number",
        minimum: 0,
        description: "Seconds after which the command is killed. 0 or nothing for the default.",
      },
    },
    required: ["command"],
  },
} as const;

/** The descriptions of arguments in Chinese. */
export const argumentsChinese: {
  readonly [Name in FileToolName]: Readonly<Record<keyof (typeof toolInputs)[Name]["properties"], string>>;
} = {
  ls: { path: "目录。默认为 /。" },
  read_file: {
    file_path: "文件的路径。",
    offset: "要跳过的行数。默认为 0。",
    limit: "要读取的行数。默认为 100。",
    column: "第一行要跳过的字符数，用于继续读取很长的行。默认为 0。",
  },
  write_file: { file_path: "文件的路径。", content: "文件的全部内容。" },
  edit_file: {
    file_path: "文件的路径。",
    old_string: "要替换的文本。只有文件为空时才可以为空。",
    new_string: "要插入的文本。",
    replace_all: "为 true 时替换所有出现之处。默认为 false。",
  },
  delete: { file_path: "文件的路径。" },
  glob: { pattern: "模式，可使用 *、?、**、[a-z] 和 {a,b}。", path: "要搜索的目录。默认为 /。" },
  grep: {
    pattern: "要查找的文本；设置 regex 时为正则表达式。",
    path: "要搜索的文件或目录。默认为 /。",
    glob: "只搜索匹配的文件，相对于 path。",
    output_mode: "显示什么。默认为 files_with_matches。",
    context: "output_mode 为 content 时，每处匹配前后显示的行数。默认为 0。",
    regex: "模式是正则表达式时为 true。默认为 false。",
    max_count: "匹配的最大数量。默认为 1000。",
  },
  execute: { command: "命令。", timeout: "多少秒之后终止命令。0 或省略表示默认值。" },
};
