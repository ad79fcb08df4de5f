// How a subject is started for one scenario, and what can be seen of it beside its messages. Plain
// data like the scenario that it belongs to.
//
// Facts of a bridge                        Facts of a parent
//   connections  made so far                 config, configText  what it printed
//   open         of them, still open         socket  name, type and mode ("600"); absent when gone
//   requests     that came, in order         schema  the same, and value and byName of its content
//   stderr       the end of it               leftovers  names of session files in its temporary folder
//
// Facts of an rpc server
//   requests     that came to the API: method, path, query, headers and body; count is their number
//   running      of them, not answered yet; mostRunning at any one time
//   dropped      of them, whose connection ended before we answered
//   isInputFull  whether bytes that were sent ahead still wait to be read
//   stderr       the end of it

import type { Pieces } from "./pieces.ts";

/** How the parent or the API that we play answers a request. Without anything to send it never does. */
export interface Answer {
  /** The requests that it is for; the first answer that fits is used. What the pattern binds can be sent back. */
  readonly when: unknown;
  readonly send?: unknown;
  readonly sendBytes?: Pieces;
  /** Sends in chunks of this size, with a pause after each. */
  readonly chunkBytes?: number;
  readonly afterMs?: number;
  /** Closes the connection, after what was sent. */
  readonly close?: true;
  /** The request is not listed in the facts. */
  readonly aside?: true;
}

export interface Setup {
  /** A bridge's schema file: its content as JSON or as bytes. Without either there is no such file. */
  readonly schema?: unknown;
  readonly schemaBytes?: Pieces;
  /** False: the socket of a bridge, or the address of an rpc server's API, has no listener. */
  readonly listen?: false;
  readonly answers?: readonly Answer[];
  /** How many paths a bridge is given; 2 are right. */
  readonly paths?: 0 | 1 | 3;
  /** The file mode mask that a parent is started with. */
  readonly umask?: number;
  /** Further arguments of an rpc server. */
  readonly flags?: readonly string[];
  /** The API's OpenAPI document; an rpc server gets its path as `--spec-file`. */
  readonly document?: unknown;
  /** An rpc server's configuration file, as JSON or as text, instead of flags for the API; `{url}` in it is the API's address. */
  readonly config?: unknown;
}
