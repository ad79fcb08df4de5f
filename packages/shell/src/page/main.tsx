// Where the page begins: it chooses its link, opens a session, and draws.

import { createRoot } from "react-dom/client";
import { App } from "./components/app.tsx";
import { BrokenPage, Fallback } from "./components/fallback.tsx";
import { chooseLink } from "./links/choose-link.ts";
import { createActions } from "./session/actions.ts";
import { followAddress, removeKey } from "./session/address.ts";
import { PageContext } from "./session/page-context.ts";
import { createSession } from "./session/session.ts";
import { scheduleByFrame } from "./session/store.ts";
import { applyTheme, readTheme } from "./session/theme.ts";

removeKey();
applyTheme(readTheme());

const { openLink, files, desktop } = await chooseLink();
const session = createSession({ openLink, schedule: scheduleByFrame, now: Date.now });
followAddress(session);

const place = document.querySelector("#page");
if (place)
  createRoot(place).render(
    <PageContext value={{ session, actions: createActions(session), files, desktop }}>
      <Fallback instead={(error) => <BrokenPage error={error} />}>
        <App />
      </Fallback>
    </PageContext>,
  );
