import type { Language } from "undangle";

import type { WorkerResponses, Message, Requests } from "./protocol.ts";

/** The worker that reads and examines inputs, so that large files do not block the page. */
export interface DoctorWorker {
  readonly request: <Type extends keyof Requests>(
    type: Type,
    content: Requests[Type],
  ) => Promise<WorkerResponses[Type]>;
  /** Ends the worker. Its open requests never settle, unless it failed. */
  readonly end: () => void;
}

export interface WorkerOptions {
  /** The languages whose words are loaded before the worker is ready. */
  readonly languages: readonly Language[];
  /** All code is loaded: the page works without a network. */
  readonly onReady: () => void;
  /** The share of a file that was read, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** The worker failed, and has ended. Without a message, its code could not be loaded. */
  readonly onFailure: (message: string) => void;
}

/** Starts a worker. It loads the rules. */
export function startWorker({ languages, onReady, onProgress, onFailure }: WorkerOptions): DoctorWorker {
  const worker = new Worker(new URL("./doctor-worker.ts", import.meta.url), {
    type: "module",
    name: languages.join(" "),
  });
  const open = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  let last = 0;
  let isReady = false;
  const early: object[] = []; // requests before the worker listens
  const send = (request: object): void => {
    if (isReady) worker.postMessage(request, { transfer: [] });
    else early.push(request);
  };
  const fail = (message: string): void => {
    worker.terminate();
    for (const { reject } of open.values()) reject(new Error(message));
    open.clear();
    onFailure(message);
  };
  worker.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.type === "ready") {
      isReady = true;
      for (const request of early.splice(0)) send(request);
      onReady();
    } else if (data.type === "not-loaded") fail("");
    else if (data.type === "progress") onProgress(data.share);
    else {
      const waiting = open.get(data.id);
      open.delete(data.id);
      if (data.type === "response") waiting?.resolve(data.value);
      else waiting?.reject(new Error(data.message));
    }
  });
  worker.addEventListener("error", ({ message = "" }: Partial<ErrorEvent>) => fail(message));
  return {
    request: (type, content) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        // The worker responds to each request with the type that `WorkerResponses` gives for it.
        open.set(id, { resolve: resolve as (value: unknown) => void, reject });
        send({ ...content, type, id });
      }),
    end: () => worker.terminate(),
  };
}
