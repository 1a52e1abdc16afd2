import type { IncomingMessage } from 'node:http';
import { ApiError } from '../base/errors.ts';

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * Collects a body in one buffer that grows with it. Anybody may send a byte at a time, and a list of a million such pieces takes
 * hundreds of megabytes.
 */
export function readBody(from: IncomingMessage, limit: number, done: Done): void {
  const tooLarge = () => new ApiError('BODY_TOO_LARGE', `bad request body: larger than ${limit} bytes`);
  if (Number(from.headers['content-length']) > limit) {
    done(tooLarge());
    return;
  }
  let bytes = Buffer.alloc(0);
  let length = 0;

  function finish(error: Error | null, body?: Buffer): void {
    from.off('data', take).off('end', end).off('error', finish);
    done(error, body);
  }

  function take(piece: Buffer): void {
    const needed = length + piece.length;
    if (needed > limit) {
      finish(tooLarge());
      return;
    }
    if (needed > bytes.length) {
      // Most bodies come in one piece.
      const larger = Buffer.allocUnsafe(length === 0 ? needed : Math.min(limit, Math.max(needed, 2 * length)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    piece.copy(bytes, length);
    length = needed;
  }

  const end = () => finish(null, bytes.subarray(0, length));
  from.on('data', take).on('end', end).on('error', finish);
  from.resume();
}
