import type { RemoteRepair } from "undangle/client";

import type { Texts } from "./language.tsx";

/** A short name, and the sentence that explains it. */
export interface Explained {
  readonly name: string;
  readonly means: string;
}

interface EditTexts {
  readonly types: Readonly<Record<NonNullable<RemoteRepair["edit"]>["type"], string>>;
  readonly lossless: Explained;
  readonly lossy: Explained;
  readonly reconstructed: Explained;
}

/** The words for edits of a history, in the repairs and in the doctor. */
export const editTexts: Texts<EditTexts> = {
  en: {
    types: {
      insert: "inserted",
      move: "moved",
      merge: "merged",
      rename: "renamed",
      rewrite: "rewritten",
      remove: "removed",
      quote: "quoted as text",
      restore: "restored",
    },
    lossless: { name: "lossless", means: "The result contains everything that the history contained." },
    lossy: { name: "not lossless", means: "Some content is missing from the result. It is shown below." },
    reconstructed: {
      name: "reconstructed",
      means: "The result contains something that the history did not: a call or a match that Undangle derived.",
    },
  },
  zh: {
    types: {
      insert: "插入",
      move: "移动",
      merge: "合并",
      rename: "重命名",
      rewrite: "改写",
      remove: "删除",
      quote: "引用为文本",
      restore: "恢复",
    },
    lossless: { name: "无损", means: "结果包含历史中的全部内容。" },
    lossy: { name: "有损", means: "历史中的某些内容不在结果中，见下方。" },
    reconstructed: { name: "重建", means: "结果包含历史中没有的内容：由 Undangle 推断的调用或匹配。" },
  },
};
