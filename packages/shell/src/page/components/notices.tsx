// What did not work, until it is dismissed.

import { usePage, usePageParts } from "../session/page-context.ts";
import { IconButton } from "./icon.tsx";

export function Notices() {
  const { session } = usePageParts();
  const notices = usePage((state) => state.notices);
  return (
    <div role="alert" className="mx-auto w-full max-w-3xl space-y-2 px-3 sm:px-0">
      {notices.map(({ key, text }) => (
        <div key={key} className="flex items-center gap-2 rounded-lg border border-alarm bg-alarm-wash mb-2 py-1 pr-1 pl-3 text-sm">
          <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
          <IconButton name="close" label="Dismiss" onClick={() => session.store.dispatch({ type: "notice_dismissed", key })} />
        </div>
      ))}
    </div>
  );
}
