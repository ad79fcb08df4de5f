// A file of a message: an image is shown when this launch still has it, anything else by its name.

import { useEffect, useState } from "react";
import type { KeptFiles } from "../links/kept-files.ts";
import { usePageParts } from "../session/page-context.ts";
import { Icon } from "./icon.tsx";

interface AttachedFileProps {
  readonly path: string;
  readonly mime: string;
}

export function AttachedFile({ path, mime }: AttachedFileProps) {
  const { files } = usePageParts();
  const [isGone, setIsGone] = useState(false);
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const address = useImageAddress(files, mime.startsWith("image/") ? path : undefined);
  if (address !== undefined && !isGone)
    return <img src={address} alt={name} className="max-h-48 max-w-full rounded-lg border border-line" onError={() => setIsGone(true)} />;
  return (
    <span title={path} className="inline-flex max-w-64 items-center gap-1.5 rounded-lg border border-line bg-sheet px-2 py-1 text-xs">
      <Icon name="clip" className="size-3.5" />
      <span className="truncate">{name}</span>
    </span>
  );
}

function useImageAddress(files: KeptFiles, path: string | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let isLeft = false;
    if (path !== undefined) void files.addressOf(path).then((found) => (isLeft ? undefined : setAddress(found)));
    return () => {
      isLeft = true;
    };
  }, [files, path]);
  return address;
}
