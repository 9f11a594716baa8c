import { parseLenient } from "undangle/report";

/** A value as Python or JavaScript write it, with messages as the SDKs print them. Undefined if it is not whole. */
export const parseSource = (text: string): unknown =>
  parseLenient(text, {
    isSource: true,
    construct: (name, fields) => {
      const type = messageTypes[name];
      return type === undefined ? fields : { type, ...fields };
    },
  });

/** Messages of LangChain print their class in place of their type. */
const messageTypes: Readonly<Record<string, string>> = {
  HumanMessage: "human",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  SystemMessage: "system",
  ToolMessage: "tool",
  FunctionMessage: "function",
};
