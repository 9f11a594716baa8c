import type { Language } from "#core";

/** The texts of the demo tools. */
interface DemoWords {
  readonly instructions: string;
  readonly descriptions: Readonly<
    Record<"get_time" | "read_mail" | "pay_invoice" | "delete_mail" | "add_note" | "list_notes", string>
  >;
  readonly currency: string;
  readonly connecting: string;
  reading(mails: number): string;
  readonly mails: readonly string[];
  readonly emptyInbox: string;
  paid(invoice: number, amount: number): string;
  tooMuch(amount: number, balance: number): string;
  deleted(mails: number): string;
  noted(notes: number): string;
  readonly noNotes: string;
  time(now: Date): string;
}

export const demoWords: Readonly<Record<Language, DemoWords>> = {
  en: {
    instructions: "You manage the user's mail, invoices and notes. Keep replies short.",
    descriptions: {
      get_time: "Returns the current time and date.",
      read_mail: "Reads the mail of the inbox.",
      pay_invoice: "Pays an invoice.",
      delete_mail: "Deletes all mail of the inbox.",
      add_note: "Saves a note.",
      list_notes: "Lists all notes.",
    },
    currency: "Euros.",
    connecting: "opening the inbox",
    reading: (mails) => `reading ${mails} mails`,
    mails: [
      "From ACME: invoice 12, 300 euros, due on Friday.",
      "From Mum: when do you come to dinner?",
      "From Travel Club: last places for the boat trip.",
    ],
    emptyInbox: "The inbox is empty.",
    paid: (invoice, amount) => `Invoice ${invoice} is paid: ${amount} euros.`,
    tooMuch: (amount, balance) => `The account has ${balance} euros, so ${amount} euros cannot be paid.`,
    deleted: (mails) => `${mails} mails deleted; the inbox is empty now.`,
    noted: (notes) => `Noted; ${notes === 1 ? "it is the first note" : `there are ${notes} notes now`}.`,
    noNotes: "There are no notes.",
    time: (now) => now.toString(),
  },
  zh: {
    instructions: "你负责照看一个人的邮件、发票和笔记。请简短回答。",
    descriptions: {
      get_time: "查询现在的时间和日期。",
      read_mail: "读取收件箱中的邮件。",
      pay_invoice: "支付发票。",
      delete_mail: "删除收件箱中的所有邮件。",
      add_note: "记下一条笔记。",
      list_notes: "列出所有笔记。",
    },
    currency: "欧元。",
    connecting: "正在打开收件箱",
    reading: (mails) => `正在读取 ${mails} 封邮件`,
    mails: [
      "来自 ACME：12 号发票，300 欧元，周五到期。",
      "来自妈妈：你什么时候来吃晚饭？",
      "来自旅行社：游船还有最后几个位子。",
    ],
    emptyInbox: "收件箱是空的。",
    paid: (invoice, amount) => `${invoice} 号发票已支付：${amount} 欧元。`,
    tooMuch: (amount, balance) => `账户余额为 ${balance} 欧元，无法支付 ${amount} 欧元。`,
    deleted: (mails) => `已删除 ${mails} 封邮件，收件箱是空的。`,
    noted: (notes) => `已记下；现在有 ${notes} 条笔记。`,
    noNotes: "没有笔记。",
    time: (now) => now.toLocaleString("zh-CN", { dateStyle: "full", timeStyle: "medium" }),
  },
};
