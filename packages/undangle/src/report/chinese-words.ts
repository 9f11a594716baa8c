import { anomaliesChinese, errorText } from "#core";

import { rulesChinese } from "./rules-chinese.ts";
import type { Words } from "./words.ts";

export const chineseWords: Words = {
  language: "zh",
  rules: rulesChinese,
  faults: {
    empty: "输入为空；请给出请求体或消息数组",
    "cut-off": "文本在值的中间结束；文件被截断了吗？",
    extra: "值结束之后还有内容",
    "trailing-comma": "右括号之前多了一个逗号",
    "single-quotes": "文本用了单引号；JSON 使用双引号（这是 Python 的 repr 吗？请用 json.dumps）",
    comment: "注释；JSON 没有注释",
    "python-word": "Python 的 None、True 或 False；JSON 使用 null、true、false（请用 json.dumps）",
    "no-number": "NaN、Infinity 和 undefined 不是 JSON",
    shortened: "打印这段内容的程序省略了一部分；请用 JSON.stringify 或 json.dumps 输出",
    "control-character": "文本中有换行、制表符或其他控制字符；JSON 写作 \\n、\\t …",
    "bad-escape": "反斜杠后的字符不需要转义；JSON 中反斜杠写作 \\\\",
    "bad-number": "不是 JSON 写法的数字",
    value: "此处缺少值",
    key: "此处缺少双引号中的键",
    colon: "此处缺少冒号",
    comma: "此处缺少逗号或右括号",
  },
  problem: ({ rule, callId }) => `${rulesChinese[rule].title}${callId === undefined ? "" : `（${callId}）`}`,
  anomaly: ({ kind }) => anomaliesChinese[kind],
  error: (error) => errorText(error, "zh"),
};
