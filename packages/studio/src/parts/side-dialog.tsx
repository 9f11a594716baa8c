import { X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import type { ReactNode } from "react";

import { Button } from "./controls/button.tsx";

export interface SideDialogProps {
  readonly title: ReactNode;
  /** The name of the button that closes it. */
  readonly closeText: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog at the right edge, and over the whole screen on phones. Escape closes it, and the focus returns. */
export function SideDialog({ title, closeText, onClose, children }: SideDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={name}
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
      className="m-0 ml-auto h-dvh max-h-none w-full max-w-xl border-l border-line bg-surface text-ink backdrop:bg-black/40"
    >
      <div className="flex h-full flex-col">
        <header className="flex items-center gap-2 border-b border-line px-4 py-2">
          <h2 id={name} className="min-w-0 flex-1 truncate font-semibold">
            {title}
          </h2>
          <Button look="quiet" aria-label={closeText} onClick={() => dialog.current?.close()}>
            <X size={18} aria-hidden />
          </Button>
        </header>
        <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
      </div>
    </dialog>
  );
}
