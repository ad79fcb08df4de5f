// Rules of this repository that oxlint does not have. Loaded by .oxlintrc.json.

import type { Rule } from "./rule.ts";
import { fileOpening } from "./file-opening.ts";
import { functionLength } from "./function-length.ts";
import { noBareError } from "./no-bare-error.ts";
import { tellingFileName } from "./telling-file-name.ts";

const rules: Record<string, Rule> = {
  "file-opening": fileOpening,
  "function-length": functionLength,
  "no-bare-error": noBareError,
  "telling-file-name": tellingFileName,
};

export default { meta: { name: "hawser" }, rules };
