import { useCallback, useEffect, useRef, useState } from "react";

import { longestDraft } from "../parts/controls/longest-draft.ts";
import { messageOf } from "../parts/error-message.ts";
import { useLanguage } from "../texts/language.tsx";
import type { Target } from "./work/effective-target.ts";
import type { Examination, InputView } from "./work/examination.ts";
import type { FormatChoice } from "./work/protocol.ts";
import { startWorker } from "./work/worker-client.ts";
import type { DoctorWorker } from "./work/worker-client.ts";

/** What the page shows. */
export type DoctorState =
  | { readonly phase: "empty"; readonly isReturn: boolean }
  /** A file is being read or examined; `share` is the part that was read. */
  | { readonly phase: "working"; readonly name: string; readonly share: number }
  /** The message is empty if the worker could not be loaded. */
  | { readonly phase: "failed"; readonly name: string; readonly message: string }
  | {
      readonly phase: "read";
      readonly name: string;
      /** The name of the file, if it is one. */
      readonly file: string | undefined;
      readonly inputs: readonly InputView[];
      readonly formats: readonly FormatChoice[];
      readonly index: number;
      readonly target: Target;
      /** Undefined until the worker has examined the choice. */
      readonly examination: Examination | undefined;
    };

export interface Doctor {
  readonly state: DoctorState;
  /** Where the rules are. When they are `ready`, all code is loaded. */
  readonly rules: "absent" | "loading" | "ready";
  /** Loads the rules, which the next input needs. */
  readonly prepare: () => void;
  readonly request: DoctorWorker["request"];
  /** The text in the field. It stays when the person returns to it. Empty for files and long texts. */
  readonly draft: string;
  readonly write: (draft: string) => void;
  /** Reads an input. The first history with problems is chosen. */
  readonly read: (source: string | File, name: string, target?: Target) => void;
  /** Chooses another input, format or provider. */
  readonly choose: (choice: { readonly index?: number; readonly target?: Target }) => void;
  /** Stops the work, if any, and returns to the field. */
  readonly leave: () => void;
}

export interface DoctorOptions {
  /**
   * When the rules are loaded, which are larger than the page: with it, in both languages, because a person may switch
   * without a network, or before the first input, in the language of the page.
   */
  readonly loadRules: "with the page" | "when needed";
}

/** The state of the doctor, and its worker. */
export function useDoctor({ loadRules }: DoctorOptions): Doctor {
  const language = useLanguage();
  const [state, setState] = useState<DoctorState>({ phase: "empty", isReturn: false });
  const [draft, write] = useState("");
  const [rules, setRules] = useState<Doctor["rules"]>("absent");
  const worker = useRef<DoctorWorker>(undefined);
  const latest = useRef(0); // the number of the last input: responses about earlier ones are ignored

  const start = useCallback((): DoctorWorker => {
    if (worker.current !== undefined) return worker.current;
    setRules("loading");
    worker.current = startWorker({
      languages: loadRules === "with the page" ? ["en", "zh"] : [language],
      onReady: () => setRules("ready"),
      onProgress: (share) => setState((now) => (now.phase === "working" ? { ...now, share } : now)),
      onFailure: (message) => {
        worker.current = undefined; // the next input starts another one
        setRules("absent");
        setState((now) => ({ phase: "failed", name: "name" in now ? now.name : "", message }));
      },
    });
    return worker.current;
  }, [loadRules, language]);

  useEffect(() => {
    if (loadRules === "with the page") start();
  }, [start, loadRules]);
  useEffect(
    () => () => {
      worker.current?.end();
      worker.current = undefined;
    },
    [],
  );

  const request = useCallback<DoctorWorker["request"]>((type, content) => start().request(type, content), [start]);
  const isFailed = state.phase === "failed";
  const prepare = useCallback(() => {
    if (!isFailed) start(); // else the next input tries again
  }, [start, isFailed]);

  const read = useCallback(
    (source: string | File, name: string, target: Target = {}) => {
      const run = ++latest.current;
      const file = typeof source === "string" ? undefined : source.name;
      write(typeof source === "string" && source.length <= longestDraft ? source : "");
      setState({ phase: "working", name, share: 0 });
      const work = async (): Promise<void> => {
        try {
          const { inputs, formats } = await request("read", { source });
          if (run !== latest.current) return;
          const index = Math.max(
            inputs.findIndex(({ problems = 0 }) => problems > 0),
            0,
          );
          setState({ phase: "read", name, file, inputs, formats, index, target, examination: undefined });
        } catch (error) {
          if (run === latest.current) setState({ phase: "failed", name, message: messageOf(error) });
        }
      };
      void work();
    },
    [request],
  );

  const index = state.phase === "read" ? state.index : undefined;
  const target = state.phase === "read" ? state.target : undefined;
  const inputs = state.phase === "read" ? state.inputs : undefined;
  useEffect(() => {
    if (index === undefined || target === undefined) return undefined;
    let isCurrent = true;
    const work = async (): Promise<void> => {
      try {
        const examination = await request("examine", { index, target, language });
        if (isCurrent) setState((now) => (now.phase === "read" ? { ...now, examination } : now));
      } catch (error) {
        if (isCurrent) setState({ phase: "failed", name: "", message: messageOf(error) });
      }
    };
    void work();
    return () => {
      isCurrent = false;
    };
  }, [request, index, target, inputs, language]);

  const choose = useCallback<Doctor["choose"]>((choice) => {
    setState((now) =>
      now.phase === "read" ? { ...now, ...choice, ...(choice.index !== undefined && { examination: undefined }) } : now,
    );
  }, []);

  const leave = useCallback(() => {
    latest.current++;
    request("cancel", {}).catch(() => undefined); // a worker that failed has reported it, and reads nothing
    setState({ phase: "empty", isReturn: true });
  }, [request]);

  return { state, rules, prepare, draft, write, request, read, choose, leave };
}
