// Where the page begins: it chooses its link, opens a session, and draws. Without access it says so instead.

import { createRoot } from "react-dom/client";
import { App } from "./components/app.tsx";
import { BrokenPage, Fallback, LockedPage } from "./components/fallback.tsx";
import { chooseLink } from "./links/choose-link.ts";
import { createActions } from "./session/actions.ts";
import { followAddress } from "./session/address.ts";
import { notifyWhenHidden } from "./session/notifications.ts";
import { PageContext } from "./session/page-context.ts";
import { createSession } from "./session/session.ts";
import { scheduleByFrame } from "./session/store.ts";
import { applyTheme, readTheme } from "./session/theme.ts";

applyTheme(readTheme());

const place = document.querySelector("#page");
const root = place ? createRoot(place) : undefined;
const { openLink, files, desktop } = await chooseLink((wasKeyRefused) => root?.render(<LockedPage wasKeyRefused={wasKeyRefused} />));
const session = createSession({ openLink, schedule: scheduleByFrame, now: Date.now });
followAddress(session);
notifyWhenHidden(session);

root?.render(
  <PageContext value={{ session, actions: createActions(session), files, desktop }}>
    <Fallback instead={(error) => <BrokenPage error={error} />}>
      <App />
    </Fallback>
  </PageContext>,
);
