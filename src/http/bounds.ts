/** Limits on clients, which hold before authentication. Times in milliseconds. */
export type Bounds = Readonly<{
  /** The most open connections. */
  connections: number;
  /** Requests of one connection that wait for their answers. Only the first of them is carried out. */
  unanswered: number;
  /** Bytes of answers in this process that their clients have not taken, of all connections together. */
  unreadBytes: number;
  /** For the headers of a request, from the connection's start or the request's first byte. */
  headersMs: number;
  /** For a whole request. */
  requestMs: number;
  /** Without a byte in either direction, while a request arrives or an answer is read. */
  stallMs: number;
  /** For a client to take a whole answer, from the first part of it that waits in this process. */
  answerMs: number;
  /** Between an answer and the next request: longer than load balancers keep connections. */
  keepAliveMs: number;
  /** For a client to read why its connection ends. */
  lingerMs: number;
}>;

export const BOUNDS: Omit<Bounds, 'connections'> = {
  unanswered: 16,
  // The same limit as for unfinished bodies. It is a slice of a list for each of a thousand slow readers, and a small part of a
  // small machine.
  unreadBytes: 64 * 1024 * 1024,
  headersMs: 20_000,
  requestMs: 60_000,
  stallMs: 120_000,
  // A list of a gigabyte at 2 MB/s. A client that reads byte by byte holds only a slice of it, and the connection, for as long.
  answerMs: 600_000,
  keepAliveMs: 72_000,
  lingerMs: 2000,
};

/** The reason for closing a connection that its client may have wanted to keep. */
export type CloseReason = 'pipelined' | 'unreadable' | 'late' | 'unread' | 'too_slow' | 'crowded_out' | 'full';
