// The buttons below the place where the user writes: files, stop, send; and while a turn runs, saying it to that turn.

import { useRef } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { runningTurnsOf } from "../state/page-state.ts";
import { Button, Icon } from "./icon.tsx";

interface ComposerButtonsProps {
  readonly canSend: boolean;
  /** Says it to the turn that runs; undefined where that can't be. */
  readonly onSteer: (() => void) | undefined;
  onFiles(files: Iterable<File>): void;
}

export function ComposerButtons({ canSend, onSteer, onFiles }: ComposerButtonsProps) {
  const { actions } = usePageParts();
  const isRunning = usePage((state) => runningTurnsOf(state, state.currentId).length > 0);
  const picker = useRef<HTMLInputElement>(null);
  function onPicked(): void {
    onFiles([...(picker.current?.files ?? [])]);
    // So that the same file can be picked again.
    if (picker.current) picker.current.value = "";
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input ref={picker} type="file" multiple aria-label="Files to attach" tabIndex={-1} className="sr-only" onChange={onPicked} />
      <button
        type="button"
        className="button button-quiet px-2"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.current?.click()}
      >
        <Icon name="clip" />
        <span className="hidden text-xs sm:inline">Attach</span>
      </button>
      <span className="ml-auto hidden text-xs text-soft sm:inline">
        <kbd className="key">Enter</kbd> {isRunning ? "sends it for later" : "sends"}
      </span>
      {isRunning && <Button label="Stop" icon="stop" className="ml-auto border-alarm text-alarm sm:ml-0" onClick={actions.stop} />}
      {isRunning && onSteer && (
        <Button label="Say it now" title="The model sees it at its next step (Ctrl Enter)" disabled={!canSend} onClick={onSteer} />
      )}
      <Button type="submit" label="Send" icon="send" className={`button-main ${isRunning ? "" : "ml-auto sm:ml-0"}`} disabled={!canSend} />
    </div>
  );
}
