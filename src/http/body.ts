import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/errors.ts';

/** The limit in bytes for all unfinished bodies together. They are not authenticated yet. */
const UNFINISHED = 64 * 1024 * 1024;

/** A body up to this size is always accepted: requests to sign are smaller. */
const SMALL = 16 * 1024;

/** The most pieces of a body: each piece costs time, however small. Networks produce fewer than `PIECES`, plus one per `PIECE` bytes. */
const PIECES = 512;
const PIECE = 256;

const NOTHING = Buffer.alloc(0);

export type ReadBody = (from: IncomingMessage, done: (error: Error | null, body: Buffer) => void) => void;

/**
 * Collects a body in one growing buffer. An attacker may send single bytes, and a list of a million such pieces takes hundreds of
 * megabytes. Large bodies share `budget`, in bytes; beyond it they are refused until others are finished.
 */
export function bodyReader(limit: number, budget = UNFINISHED): ReadBody {
  let held = 0;
  const tooLarge = () => new ApiError('BODY_TOO_LARGE', `bad request body: larger than ${limit} bytes`);
  const tooSmall = () =>
    new ApiError('REQUEST_INVALID', 'bad request body: it comes in too many small pieces: send it in larger ones');
  const tooMany = () => new ApiError('UNAVAILABLE', 'the service is receiving too many large bodies: send the same body again');

  return (from, done) => {
    const announced = Number(from.headers['content-length']);
    if (announced > limit) {
      done(tooLarge(), NOTHING);
      return;
    }
    let bytes: Buffer = NOTHING;
    let length = 0;
    let pieces = 0;
    let finished = false;

    /** The listeners stay, which is cheaper than removing them: the stream ends with the request. */
    function finish(error: Error | null): void {
      if (finished) return;
      finished = true;
      held -= bytes.length;
      const body = bytes.subarray(0, length);
      // A client may take its time to read the answer, and the body must not be kept for that long.
      bytes = NOTHING;
      done(error, body);
    }

    /** False if the budget is exhausted. */
    function grow(needed: number): boolean {
      const size = length === 0 ? needed : Math.min(limit, Math.max(needed, 2 * length));
      if (size > SMALL && held - bytes.length + size > budget) return false;
      const larger = Buffer.allocUnsafe(size);
      bytes.copy(larger, 0, 0, length);
      held += size - bytes.length;
      bytes = larger;
      return true;
    }

    from.on('data', (piece: Buffer) => {
      if (finished) return;
      const needed = length + piece.length;
      pieces += 1;
      if (needed > limit) finish(tooLarge());
      else if (needed === announced && pieces === 1) {
        // Most bodies arrive in one piece, which is a buffer of its own.
        bytes = piece;
        length = needed;
        held += needed;
      } else if (pieces > PIECES + needed / PIECE) {
        finish(tooSmall());
        // The kernel has the answer. Node.js would read another 64 KiB of pieces before it ends the connection.
        from.socket.destroy();
      } else if (needed > bytes.length && !grow(needed)) finish(tooMany());
      else {
        piece.copy(bytes, length);
        length = needed;
      }
    });
    from.on('end', () => finish(null));
    from.on('error', finish);
    from.on('close', () => {
      // Every request ends with this event. Creating an error is expensive: it takes its stack.
      if (finished) return;
      finish(Object.assign(new Error('the connection ended before the request was complete'), { code: 'ECONNRESET' }));
    });
  };
}
