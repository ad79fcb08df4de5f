// A dialog of the browser's own: it keeps the focus inside, closes with Escape, and gives the focus back.

import { useEffect, useRef, type ReactNode } from "react";
import { IconButton } from "./icon.tsx";

interface DialogProps {
  readonly label: string;
  /** Shows its label above the rest, and a button to close it. */
  readonly hasHeading?: boolean;
  readonly className: string;
  readonly children: ReactNode;
  onClose(): void;
}

/** A ref of what has the focus first; else a dialog gives it to its first button. React's own `autoFocus` comes before the dialog is open. */
export const takesFocus = (element: HTMLElement | null): void => element?.setAttribute("autofocus", "");

export function Dialog({ label, hasHeading = false, className, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={`bg-sheet ${className}`}
      onClose={onClose}
      onCancel={onClose}
      // Only the backdrop is the dialog itself; everything inside is a child.
      onClick={(event) => (event.target === dialog.current ? onClose() : undefined)}
    >
      {hasHeading && (
        // Stays in sight while the rest is scrolled.
        <div className="sticky -top-5 z-10 -mx-5 -mt-5 mb-1 flex items-center justify-between bg-sheet px-5 pt-5 pb-2">
          <h2 className="text-lg font-semibold">{label}</h2>
          <IconButton name="close" label="Close" onClick={onClose} />
        </div>
      )}
      {children}
    </dialog>
  );
}
