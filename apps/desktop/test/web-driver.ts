// A small client of the WebDriver protocol: as much as these tests need. Elements are named by XPath and
// waited for, since a page draws when it likes.

export interface WebDriver {
  /** Resolves when there is such an element. */
  waitFor(xpath: string): Promise<void>;
  /** Resolves when there is none any more. */
  waitForNone(xpath: string): Promise<void>;
  text(xpath: string): Promise<string>;
  click(xpath: string): Promise<void>;
  /** Types into an element; `keys` has names for keys that are no characters. */
  type(xpath: string, text: string): Promise<void>;
  clear(xpath: string): Promise<void>;
  /** Runs the body of a function in the page. */
  evaluate(body: string): Promise<unknown>;
  /** Runs the body of an async function in the page. */
  evaluateAsync(body: string): Promise<unknown>;
  windows(): Promise<readonly string[]>;
  /** Of what the window shows, as PNG. */
  screenshot(): Promise<Buffer>;
  setSize(width: number, height: number): Promise<void>;
  end(): Promise<void>;
}

export const keys = { enter: "\uE007", escape: "\uE00C", control: "\uE009", alt: "\uE00A", nothing: "\uE000" } as const;

const elementName = "element-6066-11e4-a52e-4f735466cecf";
const patienceMs = 30_000;
const pauseMs = 100;

async function call(url: string, method: "GET" | "POST" | "DELETE", body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${method} ${new URL(url).pathname}: ${error}: ${message}`);
}

/** Starts the application through the driver at this address. */
export async function openSession(driver: string, application: string, args: readonly string[] = []): Promise<WebDriver> {
  const capabilities = { alwaysMatch: { "tauri:options": { application, args }, browserName: "wry" } };
  const { sessionId } = (await call(`${driver}/session`, "POST", { capabilities })) as { sessionId: string };
  const session = `${driver}/session/${sessionId}`;
  const post = (path: string, body: object = {}): Promise<unknown> => call(`${session}/${path}`, "POST", body);

  async function findAll(xpath: string): Promise<string[]> {
    const found = (await post("elements", { using: "xpath", value: xpath })) as Record<string, string>[];
    return found.map((element) => element[elementName] ?? "");
  }

  /** Until the work gives something; what fails meanwhile is tried again, since elements come and go. */
  async function poll<Value>(what: string, work: () => Promise<Value | undefined>): Promise<Value> {
    let problem: unknown = "it was not so in time";
    for (const end = Date.now() + patienceMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
      try {
        const value = await work();
        if (value !== undefined) return value;
      } catch (error) {
        problem = error;
      }
    }
    throw new Error(`${what}: ${String(problem)}`);
  }

  const find = (xpath: string): Promise<string> => poll(xpath, async () => (await findAll(xpath))[0]);
  const act = (xpath: string, action: string, body?: object): Promise<unknown> =>
    poll(xpath, async () => ({ done: await post(`element/${await find(xpath)}/${action}`, body) }));

  /** As a user would do: scrolls to a button, and waits until it can be pressed and the page is at rest. */
  async function untilClickable(xpath: string): Promise<void> {
    let last = "";
    await poll(`${xpath}, to be clicked`, async () => {
      const id = await find(xpath);
      // The driver knows no place for a part that a scrolled box cuts off in its middle.
      await post("execute/sync", { script: "arguments[0].scrollIntoView({ block: 'nearest' })", args: [{ [elementName]: id }] });
      const element = `${session}/element/${id}`;
      const place = JSON.stringify(await call(`${element}/rect`, "GET"));
      const isStill = place === last;
      last = place;
      return isStill && (await call(`${element}/enabled`, "GET")) ? true : undefined;
    });
  }

  return {
    waitFor: async (xpath) => void (await find(xpath)),
    waitForNone: async (xpath) => void (await poll(`no ${xpath}`, async () => ((await findAll(xpath)).length === 0 ? true : undefined))),
    text: (xpath) => poll(xpath, async () => (await call(`${session}/element/${await find(xpath)}/text`, "GET")) as string),
    async click(xpath) {
      await untilClickable(xpath);
      await act(xpath, "click");
    },
    type: async (xpath, text) => void (await act(xpath, "value", { text })),
    clear: async (xpath) => void (await act(xpath, "clear")),
    evaluate: (body) => post("execute/sync", { script: body, args: [] }),
    evaluateAsync: (body) =>
      post("execute/async", {
        script: `(async () => { ${body} })().then(arguments[0], (error) => arguments[0](\`rejected: \${error}\`))`,
        args: [],
      }),
    windows: async () => (await call(`${session}/window/handles`, "GET")) as string[],
    screenshot: async () => Buffer.from((await call(`${session}/screenshot`, "GET")) as string, "base64"),
    setSize: async (width, height) => void (await post("window/rect", { width, height })),
    end: async () => void (await call(session, "DELETE")),
  };
}
