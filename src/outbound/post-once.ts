import type { IncomingMessage } from 'node:http';
import { type Options, send, type Target } from './exchange.ts';
import type { PostAnswer } from './types.ts';

/** The part of an answer that is kept. */
const KEPT_BYTES = 1024;
/** How long the body may take. */
const BODY_MS = 1_000;

/** Reads at most `maxBytes` and keeps the first. A receiver that is slow or sends more has answered already: its status counts. */
function firstBytes(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(late);
      resolve(Buffer.concat(kept).toString('utf8'));
    };
    const late = setTimeout(end, BODY_MS);
    answer.on('data', (chunk: Buffer) => {
      if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
      bytes += chunk.length;
      if (bytes >= maxBytes) end();
    });
    // An answer that breaks ends by `close`.
    answer.on('error', () => {});
    answer.once('end', end).once('close', end);
    if (answer.destroyed) end();
  });
}

/**
 * One POST. No redirect is followed, and the answer is not read beyond `maxBytes`, nor for longer than a second. `answered` is called when
 * the status is known.
 */
export async function postOnce(target: Target, options: Options, answered: () => void): Promise<PostAnswer> {
  const answer = await send(target, options);
  answered();
  try {
    const { statusCode = 0, headers } = answer;
    return { status: statusCode, retryAfter: headers['retry-after'], text: await firstBytes(answer, options.maxBytes) };
  } finally {
    answer.destroy();
  }
}
