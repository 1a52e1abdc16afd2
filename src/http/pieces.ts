import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Pieces } from '../engine/query/pieces.ts';
import { answerHeaders, type HeaderList } from './answer.ts';

/**
 * Writes an answer as fast as its client reads, and stops when the client disconnects. So an unread answer costs about one piece. If a
 * piece fails, the connection is cut before the end of the answer. So a client cannot mistake the part for the whole.
 */
export async function writePieces(response: ServerResponse, pieces: Pieces, failed: (error: unknown) => void): Promise<void> {
  async function* told(): Pieces {
    try {
      yield* pieces;
    } catch (error) {
      failed(error);
      throw error;
    }
  }
  await pipeline(told, response).catch(() => {});
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
