// The suites by the name that `hawser conform` knows them by. A new suite is one file and one line here.

import type { Suite } from "./scenario.ts";
import { echoSuite } from "./suites/echo.ts";

export const suites: Readonly<Record<string, Suite>> = {
  echo: echoSuite,
};
