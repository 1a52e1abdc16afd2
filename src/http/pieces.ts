import type { ServerResponse } from 'node:http';
import type { Pieces } from '../engine/query/pieces.ts';
import { answerHeaders, type HeaderList } from './answer.ts';

/** Resolves when the kernel has all of the text, and rejects if the client disconnected. */
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((done, fail) => {
    const gone = () => fail(new Error('the client went away'));
    response.once('close', gone);
    response.write(text, (error) => {
      response.off('close', gone);
      if (error) fail(error);
      else done();
    });
  });
}

/**
 * Writes an answer as fast as its client reads, and stops when the client disconnects. The next piece is made when the kernel has
 * the previous one. So an unread answer costs one piece. If a piece fails, the connection is cut before the end of the answer. So a
 * client cannot mistake the part for the whole.
 */
export async function writePieces(response: ServerResponse, pieces: Pieces, failed: (error: unknown) => void): Promise<void> {
  const source = pieces[Symbol.asyncIterator]();
  const next = () =>
    source.next().catch((error: unknown) => {
      failed(error);
      throw error;
    });
  try {
    for (let piece = await next(); !piece.done; piece = await next()) await write(response, piece.value);
    response.end();
  } catch {
    response.destroy();
    await source.return?.();
  }
}

type Answer = { requestId: string; pieces: Pieces; failed(error: unknown): void };

/** Answers with JSON of unknown length. */
export async function sendPieces(
  response: ServerResponse,
  { requestId, pieces, failed }: Answer,
  more?: HeaderList,
): Promise<void> {
  response.writeHead(200, answerHeaders(requestId, more));
  await writePieces(response, pieces, failed);
}
