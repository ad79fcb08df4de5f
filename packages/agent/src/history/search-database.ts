// The texts of all conversations as a full-text index in one private SQLite file. It holds nothing that the journals don't: a file that
// is damaged, of another form, or gone is made anew. What is removed is gone from the file, not only from what is found.

import { existsSync, rmSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { describeThrown, HawserError, type SearchMatch } from "@hawser/protocol/internal";
import { createPrivateFile } from "./conversation-files.ts";

/** Raise it when the tables change. */
const FORM = 1;
/** How long another process that writes is waited for; beyond it the next search brings it up. */
const busyMs = 100;
const excerptWords = 24;

const tables = `
  CREATE TABLE files (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, conversationId TEXT NOT NULL, title TEXT NOT NULL) STRICT;
  CREATE TABLE messages (id INTEGER PRIMARY KEY, name TEXT NOT NULL, messageId TEXT NOT NULL, role TEXT NOT NULL, timestamp INTEGER NOT NULL, chars INTEGER NOT NULL) STRICT;
  CREATE INDEX messagesOfFile ON messages (name);
  CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = "unicode61 remove_diacritics 2");
  INSERT INTO texts(texts, rank) VALUES ('secure-delete', 1);
  PRAGMA user_version = ${FORM};
`;

export interface SearchedFile {
  /** Of the journal. */
  readonly name: string;
  /** Tells whether it has changed. */
  readonly stamp: string;
  readonly conversationId: string;
  readonly title: string;
}

export interface SearchedMessage {
  readonly messageId: string;
  readonly role: string;
  readonly timestamp: number;
  readonly text: string;
}

export type SearchDatabase = ReturnType<typeof createTables>;

/** By the version: to load SQLite only to ask it would print a warning at each start of Node 22. */
export function hasFullTextIndex(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 16);
}

/** Throws where this Node can't, or the folder can't be written. */
export async function openSearchDatabase(path: string): Promise<SearchDatabase> {
  const { DatabaseSync } = await import("node:sqlite");
  const open = async (): Promise<SearchDatabase> => {
    if (!existsSync(path)) await createPrivateFile(path).then((handle) => handle.close());
    const database = new DatabaseSync(path);
    try {
      return createTables(database);
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return await open();
  } catch {
    return openAnew().catch((cause: unknown) => {
      throw toSearchError(cause);
    });
  }

  async function openAnew(): Promise<SearchDatabase> {
    for (const mark of ["", "-wal", "-shm"]) rmSync(path + mark, { force: true });
    return open();
  }
}

function toSearchError(cause: unknown): HawserError {
  const problem = describeThrown(cause);
  if (!problem.includes("fts5")) return new HawserError("internal", `conversations can't be searched: ${problem}`, { cause });
  const found = `the SQLite of Node ${process.versions.node} has no full-text index`;
  return new HawserError("usage", `conversations can't be searched: ${found}; Node 22.16 and newer have one`, { cause });
}

function createTables(database: DatabaseSync) {
  database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;`);
  const form = (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
  if (form === 0) inTransaction(database, () => database.exec(tables));
  else if (form !== FORM) throw new HawserError("internal", `the search index has form ${form}`);
  const statements = prepareAll(database);

  function forget(name: string): void {
    for (const { id } of statements.idsOf.all(name) as unknown as { id: number }[]) remove(id);
    statements.dropFile.run(name);
  }

  function remove(id: number | bigint): void {
    statements.dropText.run(id);
    statements.dropMessage.run(id);
  }

  return {
    /** By the name of the journal. */
    stamps(): Map<string, string> {
      const rows = statements.stamps.all() as unknown as { name: string; stamp: string }[];
      return new Map(rows.map(({ name, stamp }) => [name, stamp]));
    },
    /** What a journal holds now; what is the same is left as it is. */
    put({ name, stamp, conversationId, title }: SearchedFile, messages: readonly SearchedMessage[]): void {
      inTransaction(database, () => {
        const rows = statements.rowsOf.all(name) as unknown as { id: number; messageId: string; chars: number }[];
        const known = new Map(rows.map((row) => [row.messageId, row]));
        for (const { messageId, role, timestamp, text } of messages) {
          const before = known.get(messageId);
          known.delete(messageId);
          if (before?.chars === text.length) continue;
          if (before) remove(before.id);
          if (text === "") continue;
          const { lastInsertRowid } = statements.addMessage.run(name, messageId, role, timestamp, text.length);
          statements.addText.run(lastInsertRowid, text);
        }
        for (const { id } of known.values()) remove(id);
        statements.putFile.run(name, stamp, conversationId, title);
      });
    },
    /** Its text is gone from the disk when this returns. */
    forget(names: readonly string[]): void {
      inTransaction(database, () => {
        for (const name of names) forget(name);
      });
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    /** The latest first. */
    find: (words: readonly string[], limit: number): SearchMatch[] =>
      // Quotes make a word of anything; the star finds what begins with it, which for a single letter would be most of what there is.
      statements.find
        .all(words.map((word) => `"${word.replaceAll('"', '""')}"${word.length > 1 ? "*" : ""}`).join(" "), limit)
        .map((row) => ({ ...row })) as SearchMatch[],
    close: (): void => database.close(),
  };
}

const prepareAll = (
  database: DatabaseSync,
): Record<
  "stamps" | "rowsOf" | "idsOf" | "addMessage" | "addText" | "putFile" | "dropFile" | "dropText" | "dropMessage" | "find",
  StatementSync
> => ({
  stamps: database.prepare("SELECT name, stamp FROM files"),
  rowsOf: database.prepare("SELECT id, messageId, chars FROM messages WHERE name = ?"),
  idsOf: database.prepare("SELECT id FROM messages WHERE name = ?"),
  addMessage: database.prepare("INSERT INTO messages (name, messageId, role, timestamp, chars) VALUES (?, ?, ?, ?, ?)"),
  addText: database.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)"),
  putFile: database.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"),
  dropFile: database.prepare("DELETE FROM files WHERE name = ?"),
  dropText: database.prepare("DELETE FROM texts WHERE rowid = ?"),
  dropMessage: database.prepare("DELETE FROM messages WHERE id = ?"),
  find: database.prepare(
    `SELECT conversationId, title, messageId, role, timestamp, snippet(texts, 0, '', '', '…', ${excerptWords}) AS excerpt
     FROM texts JOIN messages ON messages.id = texts.rowid JOIN files ON files.name = messages.name
     WHERE texts MATCH ? ORDER BY texts.rowid DESC LIMIT ?`,
  ),
});

function inTransaction(database: DatabaseSync, action: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    action();
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
