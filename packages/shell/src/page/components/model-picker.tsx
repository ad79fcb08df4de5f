// Which model answers the next message. One that is not available says why.

import { usePage, usePageParts } from "../session/page-context.ts";

export function ModelPicker() {
  const { actions } = usePageParts();
  const models = usePage((state) => state.models);
  const picked = usePage((state) => state.pickedModel);
  const current = usePage(({ runtime }) => runtime?.info.model);
  if (models.length === 0) return current === undefined ? null : <span>{current}</span>;
  const chosen = picked ?? models.find((entry) => entry.current)?.model ?? current ?? "";
  return (
    <label className="flex min-w-0 items-center gap-1.5">
      <span className="sr-only">Model</span>
      <select
        id="model-picker"
        className="max-w-44 min-w-0 rounded-md border border-line bg-sheet px-1.5 py-1 text-xs text-ink"
        value={chosen}
        onChange={(event) => actions.pickModel(event.target.value)}
      >
        {!models.some(({ model }) => model === chosen) && <option value={chosen}>{chosen}</option>}
        {models.map(({ model, available, reason }) => (
          <option key={model} value={model} disabled={!available}>
            {available ? model : `${model} (${reason ?? "not available"})`}
          </option>
        ))}
      </select>
    </label>
  );
}
