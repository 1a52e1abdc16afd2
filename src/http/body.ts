import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/errors.ts';

/** The limit in bytes for all unfinished bodies together. They are not authenticated yet. */
const UNFINISHED = 64 * 1024 * 1024;

/** A body up to this size is always accepted: requests to sign are smaller. */
const SMALL = 16 * 1024;

/** Each piece costs time, however small. Networks produce fewer than `PIECES`, plus one per `PIECE` bytes, for a body. */
const PIECES = 512;
const PIECE = 256;

export type ReadBody = (from: IncomingMessage, done: (error: Error | null, body?: Buffer) => void) => void;

/**
 * Collects a body in one growing buffer. An attacker may send single bytes, and a list of a million such pieces takes
 * hundreds of megabytes. Large bodies share `budget`, in bytes; beyond it they are refused until others are finished.
 */
export function bodyReader(limit: number, budget = UNFINISHED): ReadBody {
  let held = 0;
  const tooLarge = () => new ApiError('BODY_TOO_LARGE', `bad request body: larger than ${limit} bytes`);
  const tooSmall = () =>
    new ApiError('REQUEST_INVALID', 'bad request body: it comes in too many small pieces: send it in larger ones');
  const tooMany = () => new ApiError('UNAVAILABLE', 'the service is receiving too many large bodies: send the same body again');

  return (from, done) => {
    if (Number(from.headers['content-length']) > limit) {
      done(tooLarge());
      return;
    }
    let bytes = Buffer.alloc(0);
    let length = 0;
    let pieces = 0;

    function finish(error: Error | null, body?: Buffer): void {
      from.off('data', take).off('end', end).off('error', finish).off('close', closed);
      held -= bytes.length;
      done(error, body);
    }

    /** False if the budget is exhausted. */
    function grow(needed: number): boolean {
      // Most bodies arrive in one piece.
      const size = length === 0 ? needed : Math.min(limit, Math.max(needed, 2 * length));
      if (size > SMALL && held - bytes.length + size > budget) return false;
      const larger = Buffer.allocUnsafe(size);
      bytes.copy(larger, 0, 0, length);
      held += size - bytes.length;
      bytes = larger;
      return true;
    }

    function take(piece: Buffer): void {
      const needed = length + piece.length;
      pieces += 1;
      if (needed > limit) finish(tooLarge());
      else if (pieces > PIECES + needed / PIECE) finish(tooSmall());
      else if (needed > bytes.length && !grow(needed)) finish(tooMany());
      else {
        piece.copy(bytes, length);
        length = needed;
      }
    }

    const end = () => finish(null, bytes.subarray(0, length));
    const closed = () =>
      finish(Object.assign(new Error('the connection ended before the request was complete'), { code: 'ECONNRESET' }));
    from.on('data', take).on('end', end).on('error', finish).on('close', closed);
    from.resume();
  };
}
