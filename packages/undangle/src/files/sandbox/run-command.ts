import { watchMemory } from "./memory-watch.ts";
import { type KeptOutput, OutputBuffer } from "./output-buffer.ts";
import { type Launcher, type SandboxEnd, SandboxProcess } from "./sandbox-process.ts";

export interface CommandOptions {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly maxOutput: number;
}

export type CommandEnd = KeptOutput & (SandboxEnd | { readonly type: "killed"; readonly by: KillReason });

type KillReason = "timeout" | "stopped" | "memory";

/** Runs a command in a new sandbox. It resolves when all processes of the sandbox have ended. */
export function runCommand(
  command: string,
  launcher: Launcher,
  { timeout, signal, maxOutput }: CommandOptions,
): Promise<CommandEnd> {
  const output = new OutputBuffer(maxOutput);
  if (signal.aborted) return Promise.resolve({ type: "killed", by: "stopped", ...output.read() });
  return new Promise((resolve) => {
    let reason: KillReason | undefined;
    let unwatch = (): void => undefined;
    const sandbox = new SandboxProcess(command, launcher, {
      onStart: (pid) => {
        unwatch = watchMemory(pid, launcher.settings.limits.memory, () => kill("memory"));
      },
      onOutput: (chunk) => output.push(chunk),
      onEnd: (end) => {
        clearTimeout(timer);
        unwatch();
        signal.removeEventListener("abort", stop);
        resolve({ ...(reason === undefined ? end : { type: "killed", by: reason }), ...output.read() });
      },
    });
    const kill = (by: KillReason): void => {
      reason ??= by;
      sandbox.kill();
    };
    const stop = (): void => kill("stopped");
    const timer = setTimeout(() => kill("timeout"), timeout);
    signal.addEventListener("abort", stop);
  });
}
