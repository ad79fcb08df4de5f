// Everything about undo once more, with every look in the thread, as it is in large folders.

import { lookInThread } from "./undo-stage.ts";

lookInThread();
await import("./undo.test.ts");
