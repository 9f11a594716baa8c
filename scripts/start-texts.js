/** The texts of `npm start` in a terminal. */
export const startTexts = {
  en: {
    serves: (/** @type {string} */ url) => `Also serving at ${url}: open it in a browser, or in another shell`,
    opened: (/** @type {string} */ url) => `The studio is open in your browser: ${url}. In another shell:`,
    log: (/** @type {string} */ file) => `It has the threads of this chat, and stops with it. Log: ${file}`,
    without: "The chat opens without a server. Put options after --: npm start -- --port 4200",
    last: "npm start -- --thread last continues where you left off.",
    next: [
      "Try next:",
      "  npm start -- --thread last                         continue where you left off",
      "  npm start -- --files .                             with the files of a directory",
      "  npx undangle serve                                 the server alone",
      "  npx undangle chat --model openai/gpt-5.1           with a model of a provider",
      "  npx undangle doctor examples/broken-history.json   diagnose a broken history",
      "  npx undangle --help",
    ],
  },
  zh: {
    serves: (/** @type {string} */ url) => `同时在 ${url} 提供服务：可用浏览器打开，或在另一个终端中运行`,
    opened: (/** @type {string} */ url) => `已在浏览器中打开 ${url}。也可在另一个终端中运行`,
    log: (/** @type {string} */ file) => `它与此聊天共用会话，并随之结束。日志：${file}`,
    without: "聊天照常打开，但没有服务器。选项写在 -- 之后：npm start -- --port 4200",
    last: "npm start -- --thread last 可从上次离开的地方继续。",
    next: [
      "接下来可以试试：",
      "  npm start -- --thread last                         从上次离开的地方继续",
      "  npm start -- --files .                             使用一个目录中的文件",
      "  npx undangle serve                                 单独运行服务器",
      "  npx undangle chat --model openai/gpt-5.1           使用服务商的模型",
      "  npx undangle doctor examples/broken-history.json   诊断一份有问题的历史记录",
      "  npx undangle --help",
    ],
  },
};
