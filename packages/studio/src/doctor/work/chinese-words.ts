export { chineseWords } from "undangle/report";
