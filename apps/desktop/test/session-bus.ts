// The session bus, as far as these tests need it: a name that is held as a desktop's tray would hold it, and
// the menu of a tray icon, pressed as that tray would press it.

import { execFileSync } from "node:child_process";
import { connect, type Socket } from "node:net";

/** Holds a name until the socket is destroyed; whoever calls it gets no answer. */
export async function holdName(address: string, name: string): Promise<Socket> {
  const path = /unix:path=([^,;]+)/.exec(address)?.[1] ?? "";
  const socket = connect(path);
  const heard = readTexts(socket);
  const user = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
  socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
  await heard("OK ");
  socket.write("BEGIN\r\n");
  socket.write(busCall(1, "Hello"));
  socket.write(busCall(2, "RequestName", name));
  await heard("NameAcquired", name);
  return socket;
}

/** Resolves when all of these texts have come, in whatever they came. */
function readTexts(socket: Socket): (...texts: string[]) => Promise<void> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  return async (...texts) => {
    for (let attempt = 0; attempt < 500; attempt++) {
      if (texts.every((part) => text.includes(part))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the bus did not say ${texts.join(", ")}: ${text}`);
  };
}

/** A call to the bus itself: little-endian, with a name and flags as its arguments, or with none. */
function busCall(serial: number, member: string, name?: string): Buffer {
  const fields = [field(1, "o", "/org/freedesktop/DBus"), field(6, "s", "org.freedesktop.DBus")];
  fields.push(field(2, "s", "org.freedesktop.DBus"), field(3, "s", member));
  if (name !== undefined) fields.push(pad(Buffer.from([8, 1, 0x67, 0, 2, 0x73, 0x75, 0])));
  const body = name === undefined ? Buffer.alloc(0) : Buffer.concat([pad(text(name), 4), number(0)]);
  const last = fields.pop() ?? Buffer.alloc(0);
  // Each begins at a multiple of eight; the length of the list does not count what fills up after the last.
  const list = Buffer.concat([...fields, last]);
  const length = Buffer.concat(fields).length + unpadded(last);
  const head = Buffer.concat([Buffer.from([0x6c, 1, 0, 1]), number(body.length), number(serial), number(length)]);
  return Buffer.concat([head, list, body]);
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(`${value}\0`)]);
const pad = (bytes: Buffer, to = 8): Buffer => Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)]);
const field = (code: number, type: "o" | "s", value: string): Buffer =>
  pad(Buffer.concat([Buffer.from([code, 1, type.charCodeAt(0), 0]), text(value)]));

/** Where the field ends, without what fills it up. */
function unpadded(bytes: Buffer): number {
  const isSignature = bytes[2] === 0x67;
  return isSignature ? 5 + (bytes[4] ?? 0) + 1 : 8 + bytes.readUInt32LE(4) + 1;
}

interface BusObject {
  readonly connection: string;
  readonly path: string;
}

/** Presses an entry of the menu of the app's tray icon. */
export function pressTrayMenu(env: NodeJS.ProcessEnv, label: string): void {
  const menu = findTrayMenu(env);
  const layout = gdbus(env, menu, "com.canonical.dbusmenu.GetLayout", "0", "-1", "@as []");
  const id = new RegExp(`\\((\\d+), \\{[^}]*'label': <'${label}'>`).exec(layout)?.[1];
  if (id === undefined) throw new Error(`the menu has no ${label}: ${layout}`);
  gdbus(env, menu, "com.canonical.dbusmenu.Event", id, "clicked", "<int32 0>", "0");
}

function findTrayMenu(env: NodeJS.ProcessEnv): BusObject {
  const bus = { connection: "org.freedesktop.DBus", path: "/org/freedesktop/DBus" };
  for (const [connection] of gdbus(env, bus, "org.freedesktop.DBus.ListNames").matchAll(/:\d+\.\d+/g)) {
    const place = "/org/ayatana/NotificationItem";
    const shown = tryTo(() => run(env, "introspect", "--session", "--dest", connection, "--object-path", place)) ?? "";
    const found = /node (\w+)/.exec(shown)?.[1];
    if (found !== undefined) return { connection, path: `${place}/${found}/Menu` };
  }
  throw new Error("nobody on the bus has a tray icon");
}

const gdbus = (env: NodeJS.ProcessEnv, { connection, path }: BusObject, method: string, ...args: readonly string[]): string =>
  run(env, "call", "--session", "--dest", connection, "--object-path", path, "--method", method, "--", ...args);

/** Comes with the libraries that the app is built with. */
const busProgram = "gdbus";
const run = (env: NodeJS.ProcessEnv, ...args: readonly string[]): string =>
  execFileSync(busProgram, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 5_000 });

function tryTo<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
