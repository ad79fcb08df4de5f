// The list of keys, and how keys are drawn.

import { Dialog } from "./dialog.tsx";
import { IconButton } from "./icon.tsx";
import { usePageParts } from "../session/page-context.ts";
import { localKeys, pageKeys } from "./keys.ts";

export function Keys({ keys, isHidden }: { readonly keys: readonly string[]; readonly isHidden?: true }) {
  return keys.map((key) => (
    <kbd key={key} className="key" aria-hidden={isHidden}>
      {key}
    </kbd>
  ));
}

export function KeysDialog({ onClose }: { onClose(): void }) {
  const { desktop } = usePageParts();
  const keys = pageKeys.filter(({ isOfDesktop }) => !isOfDesktop || desktop);
  return (
    <Dialog label="Keys" className="w-[min(28rem,94vw)] rounded-2xl border border-line p-5" onClose={onClose}>
      <div className="mb-3 flex items-center justify-between">
        <h2 className="text-lg font-semibold">Keys</h2>
        <IconButton name="close" label="Close" onClick={onClose} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1.5 text-sm">
        {[...keys, ...localKeys].map(({ shown, meaning }) => (
          <div key={meaning} className="contents">
            <dt className="flex gap-1">
              <Keys keys={shown} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
