import type { Language } from "#core";

/** The errors for the model about an MCP server. */
export interface McpTexts {
  readonly away: (tool: string, reason: string) => string;
  readonly lost: (tool: string) => string;
  readonly late: (tool: string) => string;
  readonly failed: string;
  readonly unreadable: (mediaType: string) => string;
  readonly arguments: (schema: string) => string;
}

export const mcpTexts: Readonly<Record<Language, McpTexts>> = {
  en: {
    away: (tool, reason) => `${tool} was not executed - its MCP server cannot be reached: ${reason}`,
    lost: (tool) => `The connection to the MCP server broke while ${tool} was running. Its outcome is unknown.`,
    late: (tool) => `The MCP server did not respond in time. The outcome of ${tool} is unknown.`,
    failed: "The tool failed without a message.",
    unreadable: (mediaType) => `[${mediaType}: could not be read]`,
    arguments: (schema) => `Arguments, as described by its server: ${schema}`,
  },
  zh: {
    away: (tool, reason) => `${tool} 未被执行——无法连接到其 MCP 服务器：${reason}`,
    lost: (tool) => `${tool} 执行期间与 MCP 服务器的连接中断，其结果未知。`,
    late: (tool) => `MCP 服务器未能及时响应，${tool} 的结果未知。`,
    failed: "工具执行失败，没有说明原因。",
    unreadable: (mediaType) => `[${mediaType}，无法读取]`,
    arguments: (schema) => `其服务器对参数的说明：${schema}`,
  },
};
