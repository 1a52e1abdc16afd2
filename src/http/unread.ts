import { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Limits = { unreadBytes: number; answerMs: number };

type Waiting = { bytes: number; tooSlow: NodeJS.Timeout };

/** Written answers that wait in this process for clients that do not read. */
export type UnreadAnswers = {
  /** Called after each write of an answer. */
  wrote(socket: Duplex): void;
  /** The answer is taken, or its connection has ended. */
  forget(socket: Duplex): void;
};

/**
 * Closes connections whose clients leave too much unread, or take an answer too slowly. A client within its fair share is not
 * closed because of others. If all together leave too much, one exceeds that share.
 */
export function unreadAnswers(
  { unreadBytes, answerMs }: Limits,
  cut: (socket: Duplex, why: 'unread' | 'too_slow') => void,
): UnreadAnswers {
  /** The one written to last is last: its client took the earlier bytes. */
  const waiting = new Map<Duplex, Waiting>();
  let total = 0;

  function forget(socket: Duplex): void {
    const one = waiting.get(socket);
    if (one === undefined) return;
    clearTimeout(one.tooSlow);
    waiting.delete(socket);
    total -= one.bytes;
  }

  function count(socket: Duplex, one: Waiting): void {
    total += socket.writableLength - one.bytes;
    one.bytes = socket.writableLength;
  }

  function makeRoom(): void {
    // The bytes that clients took since the last write are not subtracted yet.
    for (const [socket, one] of waiting) count(socket, one);
    for (const [socket, { bytes }] of waiting) {
      if (total <= unreadBytes) return;
      if (bytes * waiting.size > unreadBytes) cut(socket, 'unread');
    }
  }

  return {
    wrote(socket) {
      // Most answers go to the kernel immediately.
      if (socket.writableLength === 0 && waiting.size === 0) return;
      let one = waiting.get(socket);
      if (one === undefined) {
        if (socket.writableLength === 0) return;
        one = { bytes: 0, tooSlow: setTimeout(() => cut(socket, 'too_slow'), answerMs).unref() };
      }
      waiting.delete(socket);
      waiting.set(socket, one);
      count(socket, one);
      if (total > unreadBytes) makeRoom();
    },
    forget,
  };
}

/** Responses whose writes are counted. */
export const responsesOf = (unread: UnreadAnswers): typeof ServerResponse =>
  class extends ServerResponse {
    override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
      const more = super.write(chunk, encoding as BufferEncoding, done as () => void);
      if (this.socket) unread.wrote(this.socket);
      return more;
    }

    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, done as () => void);
      if (this.socket) unread.wrote(this.socket);
      return this;
    }
  } as typeof ServerResponse;
