import { useRef } from "react";

import { Button } from "./button.tsx";
import type { ButtonProps } from "./button.tsx";

export interface FilePickerProps extends Omit<ButtonProps, "onClick"> {
  /** The name of the field for screen readers. */
  readonly label: string;
  /** The types of files that the browser offers first. All by default. */
  readonly accept?: string;
  readonly onPick: (file: File) => void;
}

/** A button that opens a file of the person's device. */
export function FilePicker({ label, accept, onPick, ...button }: FilePickerProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => field.current?.click()} />
      <input
        ref={field}
        type="file"
        accept={accept}
        aria-label={label}
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onPick(file);
          target.value = ""; // the same file can be chosen again
        }}
      />
    </>
  );
}
