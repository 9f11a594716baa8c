import type { Language } from "#core";

import type { EditProblem } from "./edit-text.ts";
import type { LineEnds, PageEnds } from "./line-ends.ts";
import type { LinePart } from "./numbered-lines.ts";

/** The texts that a model reads about files. File names and contents are inserted as they are. */
export interface FileTexts {
  readonly emptyDirectory: (path: string) => string;
  readonly moreEntries: (count: number) => string;
  readonly emptyFile: (path: string) => string;
  readonly noLines: (path: string, limit: number, total: number) => string;
  readonly pastEnd: (path: string, offset: number, total: number) => string;
  readonly pastLineEnd: (line: number, column: number, length: number) => string;
  readonly beforeStart: (offset: number) => string;
  readonly page: (range: PageRange) => string;
  readonly linePart: (line: number, part: LinePart, rest: readonly string[]) => string;
  readonly mixedEnds: (ends: PageEnds["ends"]) => string;
  readonly notText: (path: string) => string;
  readonly media: (path: string, type: string, size: number) => string;
  readonly written: (path: string, isCreated: boolean) => string;
  readonly edited: (path: string, count: number) => string;
  readonly notEdited: (path: string, problem: EditProblem) => string;
  readonly notRead: (path: string) => string;
  readonly deleted: (path: string, files: number, isDirectory: boolean) => string;
  readonly notDeleted: (failures: readonly string[]) => string;
  readonly rootDeleted: string;
  readonly noMatch: (pattern: string, path: string) => string;
  readonly looksLikeRegex: string;
  readonly moreFiles: (count: number) => string;
  readonly moreMatches: (count: number) => string;
  readonly moreText: (count: number) => string;
  readonly skipped: (count: number) => string;
  readonly failures: (failures: readonly string[]) => string;
  readonly tooSlow: (tool: string, seconds: number) => string;
  readonly exit: (code: number | undefined, killed: string | undefined) => string;
  readonly omitted: (bytes: number) => string;
  readonly timeoutTooLong: (seconds: number, most: number) => string;
  readonly unsupported: (tool: string) => string;
  readonly unavailable: (reason: string) => string;
  readonly outsidePrefixes: (path: string, prefixes: readonly string[]) => string;
  readonly deniedBelow: (path: string) => string;
  readonly useTarget: (path: string, target: string) => string;
  readonly shellSeesAll: string;
  readonly removedResult: (path: string) => string;
  readonly evicted: (stored: StoredText) => string;
  readonly evictedMessage: (stored: StoredText) => string;
  readonly between: (lines: number) => string;
  readonly moreCharacters: (count: number) => string;
  readonly evictionFailed: (path: string, reason: string) => string;
}

/** A text that is in a file because of its length. */
export interface StoredText {
  readonly path: string;
  readonly length: number;
  /** The name of `read_file`. */
  readonly read: string;
  readonly ends: LineEnds;
}

export interface PageRange {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  readonly nextOffset: number | undefined;
  readonly isCut: boolean;
}

const english: FileTexts = {
  emptyDirectory: (path) => `${path} is empty.`,
  moreEntries: (count) => `[${count} more entries are not shown. List a subdirectory, or use a pattern.]`,
  emptyFile: (path) => `${path} exists and is empty.`,
  noLines: (path, limit, total) =>
    `No lines were requested: the limit is ${limit}. ${path} has ${total} ${total === 1 ? "line" : "lines"}.`,
  pastEnd: (path, offset, total) =>
    `The offset ${offset} is past the end: ${path} has ${total} ${total === 1 ? "line" : "lines"}.`,
  pastLineEnd: (line, column, length) =>
    `The column ${column} is past the end: line ${line} has ${length} ${length === 1 ? "character" : "characters"}.`,
  beforeStart: (offset) => `[The offset ${offset} is before the first line. Reading started at line 1.]`,
  page: ({ first, last, total, nextOffset, isCut }) => {
    const range = first === last ? `Line ${first} of ${total}` : `Lines ${first}-${last} of ${total}`;
    const cut = isCut ? " More would be too long." : "";
    return `[${range}.${cut}${nextOffset === undefined ? "" : ` Continue with offset ${nextOffset}.`}]`;
  },
  linePart: (line, { from, to, of }, rest) =>
    `[Line ${line} is too long: characters ${from + 1}-${to} of ${of} are shown. Continue with offset ${line - 1} and column ${to}${rest.length === 0 ? "" : `, or use ${rest.join(" or ")}`}.]`,
  mixedEnds: ({ CRLF, CR }) =>
    `[Line ends differ. ${CRLF === "" ? "" : `CRLF: lines ${CRLF}. `}${CR === "" ? "" : `CR: lines ${CR}. `}LF: all others.]`,
  notText: (path) => `${path} is not text: its bytes are not UTF-8. It cannot be shown or edited.`,
  media: (path, type, size) => `${path} (${type}, ${size} bytes)`,
  written: (path, isCreated) => `${isCreated ? "Created" : "Replaced"} ${path}.`,
  edited: (path, count) => `Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${path}.`,
  notEdited: (path, problem) => {
    switch (problem.type) {
      case "same":
        return "old_string and new_string are the same. Nothing was changed.";
      case "empty":
        return `old_string is empty, but ${path} is not. Use write_file to replace the whole file.`;
      case "several":
        return `old_string occurs ${problem.count} times in ${path}. Add surrounding lines to make it unique, or set replace_all.`;
      default:
        return `old_string was not found in ${path}.${missingHints.en[problem.hint ?? "none"]}`;
    }
  },
  notRead: (path) => `${path} was not read since it last changed. Read it before you edit it.`,
  deleted: (path, files, isDirectory) =>
    isDirectory ? `Deleted ${path} with ${files} ${files === 1 ? "file" : "files"}.` : `Deleted ${path}.`,
  notDeleted: (failures) => `Some of it could not be deleted:\n${failures.join("\n")}`,
  rootDeleted: "/ cannot be deleted. Delete what it contains.",
  noMatch: (pattern, path) => `Nothing in ${path} matches ${pattern}`,
  looksLikeRegex:
    "[The pattern is literal text, and looks like a regular expression. Set regex to true to use it as one.]",
  moreFiles: (count) => `[${count} more files are not shown. Use a narrower pattern or path.]`,
  moreMatches: (count) =>
    `[The first ${count} matches are shown, and there are more. Use a narrower pattern, path or glob.]`,
  moreText: (count) => `[${count} more lines are not shown. Use a narrower pattern, path or glob.]`,
  skipped: (count) =>
    `[${count} ${count === 1 ? "file is" : "files are"} not text and ${count === 1 ? "was" : "were"} skipped.]`,
  failures: (failures) => `[Incomplete. Some of it could not be searched:\n${failures.join("\n")}]`,
  tooSlow: (tool, seconds) =>
    `${tool} took more than ${seconds} seconds and was ended. Use a narrower pattern or path.`,
  exit: (code, killed) => {
    if (killed === "timeout") return "[The command was killed: its time is over.]";
    if (killed === "memory") return "[The command was killed: it used too much memory.]";
    if (code === undefined) return "[The command was killed.]";
    return code === 0 ? "[The command succeeded with exit code 0.]" : `[The command failed with exit code ${code}.]`;
  },
  omitted: (bytes) => `[The output is not complete: ${bytes} bytes in its middle are missing.]`,
  timeoutTooLong: (seconds, most) => `The timeout of ${seconds} seconds is over the maximum of ${most}.`,
  unavailable: (reason) => `The files are not available: ${reason}`,
  unsupported: (tool) => `${tool} is not available: these files do not support it.`,
  outsidePrefixes: (path, prefixes) => `${path} is not accessible. Use paths in ${prefixes.join(", ")}.`,
  deniedBelow: (path) => `A permission rule denies to delete something in ${path}.`,
  useTarget: (path, target) =>
    `${path} leads through a link to ${target}, which needs approval. Use ${target}, so that a person can decide.`,
  shellSeesAll:
    "Permission rules do not apply to a shell. These files execute commands, so none of the tools is available.",
  removedResult: (path) => `${path} is not stored any more. Old results are removed to limit the storage.`,
  evicted: ({ path, length, read, ends }) =>
    `The result has ${length} characters, too many to show. It is stored in ${path}. Read it in parts with ${read}, or search it.${endsText.en(ends, read)} Its beginning and end:`,
  evictedMessage: ({ path, length, read, ends }) =>
    `This message has ${length} characters, too many to show. It is stored in ${path}. Read it in parts with ${read}, or search it.${endsText.en(ends, read)} Its beginning and end:`,
  between: (lines) => `… [${lines} ${lines === 1 ? "line" : "lines"} not shown]`,
  moreCharacters: (count) => `… [${count} more characters]`,
  evictionFailed: (path, reason) => `A large text could not be stored in ${path} and is passed on whole: ${reason}`,
};

/** What the lines that `read_file` shows do not contain. */
const endsText: Readonly<Record<Language, (ends: LineEnds, read: string) => string>> = {
  en: ({ kind, isOpen }, read) =>
    [
      kind === "mixed" ? ` Its line ends differ, and ${read} reports them.` : "",
      kind === "CRLF" || kind === "CR" ? ` Its lines end with ${kind}.` : "",
      isOpen ? " Its last line has no line end." : "",
    ].join(""),
  zh: ({ kind, isOpen }, read) =>
    [
      kind === "mixed" ? `换行符不一致，${read} 会说明。` : "",
      kind === "CRLF" || kind === "CR" ? `换行符为 ${kind}。` : "",
      isOpen ? "最后一行没有换行符。" : "",
    ].join(""),
};

const missingHints: Readonly<Record<Language, Readonly<Record<"none" | "space" | "numbers", string>>>> = {
  en: {
    none: "",
    space: " A text that differs only in white space or line ends was found. Copy it exactly.",
    numbers: " The line numbers of read_file are not part of the file. Leave them out.",
  },
  zh: {
    none: "",
    space: "文件中有仅空白或换行不同的文本，请原样复制。",
    numbers: "read_file 显示的行号不是文件内容，请去掉行号。",
  },
};

const chinese: FileTexts = {
  emptyDirectory: (path) => `${path} 是空目录。`,
  moreEntries: (count) => `[还有 ${count} 项未显示。请列出子目录，或使用模式查找。]`,
  emptyFile: (path) => `${path} 存在，但内容为空。`,
  noLines: (path, limit, total) => `没有请求任何行：limit 为 ${limit}。${path} 共有 ${total} 行。`,
  pastEnd: (path, offset, total) => `offset ${offset} 超出文件末尾：${path} 共有 ${total} 行。`,
  pastLineEnd: (line, column, length) => `column ${column} 超出行尾：第 ${line} 行共有 ${length} 个字符。`,
  beforeStart: (offset) => `[offset ${offset} 在第一行之前，已从第 1 行开始读取。]`,
  page: ({ first, last, total, nextOffset, isCut }) => {
    const range = first === last ? `第 ${first} 行` : `第 ${first}-${last} 行`;
    const cut = isCut ? "更多内容会过长。" : "";
    return `[${range}，共 ${total} 行。${cut}${nextOffset === undefined ? "" : `请用 offset ${nextOffset} 继续。`}]`;
  },
  linePart: (line, { from, to, of }, rest) =>
    `[第 ${line} 行过长：显示了 ${of} 个字符中的第 ${from + 1}-${to} 个。请用 offset ${line - 1} 和 column ${to} 继续${rest.length === 0 ? "" : `，或使用 ${rest.join(" 或 ")}`}。]`,
  mixedEnds: ({ CRLF, CR }) =>
    `[换行符不一致。${CRLF === "" ? "" : `CRLF：第 ${CRLF} 行。`}${CR === "" ? "" : `CR：第 ${CR} 行。`}其余为 LF。]`,
  notText: (path) => `${path} 不是文本：其字节不是 UTF-8，无法显示或编辑。`,
  media: (path, type, size) => `${path}（${type}，${size} 字节）`,
  written: (path, isCreated) => `${isCreated ? "已创建" : "已替换"} ${path}。`,
  edited: (path, count) => `已在 ${path} 中替换 ${count} 处。`,
  notEdited: (path, problem) => {
    switch (problem.type) {
      case "same":
        return "old_string 与 new_string 相同，未作任何更改。";
      case "empty":
        return `old_string 为空，但 ${path} 有内容。要替换整个文件请使用 write_file。`;
      case "several":
        return `old_string 在 ${path} 中出现 ${problem.count} 次。请加入上下文使其唯一，或设置 replace_all。`;
      default:
        return `在 ${path} 中没有找到 old_string。${missingHints.zh[problem.hint ?? "none"]}`;
    }
  },
  notRead: (path) => `${path} 自上次更改以来未被读取。请先读取再编辑。`,
  deleted: (path, files, isDirectory) => (isDirectory ? `已删除 ${path} 及其中 ${files} 个文件。` : `已删除 ${path}。`),
  notDeleted: (failures) => `部分内容无法删除：\n${failures.join("\n")}`,
  rootDeleted: "不能删除 /。请删除其中的内容。",
  noMatch: (pattern, path) => `${path} 中没有与之匹配的内容：${pattern}`,
  looksLikeRegex: "[该模式按字面文本查找，但看起来像正则表达式。如需按正则表达式查找，请将 regex 设为 true。]",
  moreFiles: (count) => `[还有 ${count} 个文件未显示。请缩小模式或路径。]`,
  moreMatches: (count) => `[只显示前 ${count} 处匹配，还有更多。请缩小模式、路径或 glob。]`,
  moreText: (count) => `[还有 ${count} 行未显示。请缩小模式、路径或 glob。]`,
  skipped: (count) => `[${count} 个文件不是文本，已跳过。]`,
  failures: (failures) => `[结果不完整。部分内容无法搜索：\n${failures.join("\n")}]`,
  tooSlow: (tool, seconds) => `${tool} 超过 ${seconds} 秒，已终止。请缩小模式或路径。`,
  exit: (code, killed) => {
    if (killed === "timeout") return "[命令超时，已被终止。]";
    if (killed === "memory") return "[命令占用内存过多，已被终止。]";
    if (code === undefined) return "[命令已被终止。]";
    return code === 0 ? "[命令执行成功，退出码 0。]" : `[命令执行失败，退出码 ${code}。]`;
  },
  omitted: (bytes) => `[输出不完整：中间缺少 ${bytes} 字节。]`,
  timeoutTooLong: (seconds, most) => `超时 ${seconds} 秒超过上限 ${most} 秒。`,
  unavailable: (reason) => `文件不可用：${reason}`,
  unsupported: (tool) => `${tool} 不可用：这些文件不支持此操作。`,
  outsidePrefixes: (path, prefixes) => `无法访问 ${path}。请使用以下目录中的路径：${prefixes.join("、")}。`,
  deniedBelow: (path) => `权限规则不允许删除 ${path} 中的部分内容。`,
  useTarget: (path, target) => `${path} 经链接指向 ${target}，需要批准。请使用 ${target}，以便由人决定。`,
  shellSeesAll: "权限规则对 shell 无效。这些文件可以执行命令，因此所有工具都不可用。",
  removedResult: (path) => `${path} 已不再保存。为限制存储空间，旧结果会被删除。`,
  evicted: ({ path, length, read, ends }) =>
    `结果有 ${length} 个字符，过长而未显示。已保存到 ${path}。请用 ${read} 分段读取，或在其中搜索。${endsText.zh(ends, read)}开头和结尾如下：`,
  evictedMessage: ({ path, length, read, ends }) =>
    `此消息有 ${length} 个字符，过长而未显示。已保存到 ${path}。请用 ${read} 分段读取，或在其中搜索。${endsText.zh(ends, read)}开头和结尾如下：`,
  between: (lines) => `… [${lines} 行未显示]`,
  moreCharacters: (count) => `… [还有 ${count} 个字符]`,
  evictionFailed: (path, reason) => `无法将过长的文本保存到 ${path}，因此原样传递：${reason}`,
};

export const fileTexts: Readonly<Record<Language, FileTexts>> = { en: english, zh: chinese };
