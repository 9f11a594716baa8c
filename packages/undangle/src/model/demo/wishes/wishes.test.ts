import { expect, test } from "vitest";

import { tools } from "../conversation.fixture.ts";
import { readTool } from "./match-tool.ts";
import { wishesOf } from "./wishes.ts";

const all = Object.values(tools).map(readTool);

/** The tools of a message; `>` stands before what comes in a later turn. */
function planned(message: string): string {
  return wishesOf(message, all)
    .map(({ tool, stage }) => ">".repeat(stage) + tool.name)
    .join(" ");
}

test.each([
  ["What time is it?", "gettime"],
  ["现在几点钟？", "gettime"],
  ["几点了", "gettime"],
  ["what's in my inbox", "read_mail"],
  ["any new mails?", "read_mail"],
  ["看看我的邮件", "read_mail"],
  ["Read my mail and pay invoice 12 and delete the old one.", "read_mail transfer delete_mail"],
  ["看看我的邮件，给张三转账300元，然后把旧的邮件删掉", "read_mail transfer >delete_mail"],
  ["Tell me the time and then send a mail to bob@example.com", "gettime >send_mail"],
  ["What is the weather in Paris and Berlin?", "get_weather get_weather"],
  ["北京和上海今天天气怎么样？", "get_weather get_weather"],
  ["Will it rain in Oslo today?", "get_weather"],
  ["Delete mail 4 and mail 5", "delete_mail delete_mail"],
  ["Delete mails 3, 4 and 5", "delete_mail delete_mail delete_mail"],
  ["帮我把 3 号和 4 号邮件删掉", "delete_mail delete_mail"],
  ["Transfer 20 euros to Bob and Alice", "transfer transfer"],
  ["给 bob@example.com 发邮件，主题是周会，内容是明天十点见", "send_mail"],
  ["写一封邮件给 li@example.com 告诉他会议改到三点", "send_mail"],
  ["Send a mail to bob@example.com, subject Hello, body See you", "send_mail"],
  ["Search for Tom and Jerry", "search"],
  ["搜索一下量子计算的资料", "search"],
  ["read the file notes.txt", "read_file"],
  ["读取文件 docs/readme.md", "read_file"],
  ["remind me to pay the bill tomorrow", "add_todo"],
  ["Add buy milk to my todo list", "add_todo"],
  ["帮我看看快递到哪了，单号 SF123456", "查询快递"],
  ["use send_mail", "send_mail"],
  ["Read a.txt and b.txt", "read_file read_file"],
])("%s", (message, expected) => {
  expect(planned(message)).toBe(expected);
});

test.each([
  ["what is not asked for is not done", "Don't delete the mail"],
  ["what is refused in Chinese is not done", "不要删除邮件"],
  ["a joke is no tool", "Tell me a joke"],
  ["nor is a poem", "给我写首诗"],
  ["there is no tool for flights", "Book me a flight to Rome"],
  ["files cannot be deleted by a tool for mail", "删除文件 a.txt"],
])("%s", (_title, message) => {
  expect(planned(message)).toBe("");
});

test("nothing is deleted or paid because mail or money was spoken of", () => {
  const grave = [tools.deleteMail, tools.transfer].map(readTool);
  for (const message of ["read my mail", "How is my mail?", "我的邮件", "How much money do I have?"]) {
    expect(wishesOf(message, grave)).toEqual([]);
  }
});

test("a message of many wishes is split over turns, and ends", () => {
  const message = Array.from({ length: 100 }, (_, i) => `delete mail ${i}`).join(" and ");
  const wishes = wishesOf(message, all);
  expect(wishes).toHaveLength(32);
  expect(wishes.map(({ stage }) => stage).filter((stage) => stage === 3)).toHaveLength(8);
});
