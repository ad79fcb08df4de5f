// A picture on the clipboard, for engines that do not hand it over with what is pasted: WebKitGTK says nothing of
// it in the event, and gives it to whoever reads the clipboard meanwhile.

const endings = { "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp" } as const;
const known = Object.keys(endings) as (keyof typeof endings)[];

/** To be called while the event lasts, or it is not allowed. None when there is no picture, or it can't be had. */
export async function readPastedImage(): Promise<File[]> {
  try {
    const items = await navigator.clipboard.read();
    const found = items.flatMap((item) => known.filter((type) => item.types.includes(type)).map((type) => ({ item, type })));
    // One picture in several forms is still one.
    return await Promise.all(found.slice(0, 1).map(({ item, type }) => toFile(item, type)));
  } catch {
    return [];
  }
}

async function toFile(item: ClipboardItem, type: keyof typeof endings): Promise<File> {
  return new File([await item.getType(type)], `image.${endings[type]}`, { type });
}
