import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Pieces } from '../engine/query/pieces.ts';
import { answerHeaders, type HeaderList } from './answer.ts';

/** Passes on what goes wrong where the pieces come from, and not what goes wrong on the way to the client. */
async function* reporting(pieces: Pieces, failed: (error: unknown) => void): Pieces {
  try {
    yield* pieces;
  } catch (error) {
    failed(error);
    throw error;
  }
}

/**
 * Writes an answer as fast as its client reads, and stops when the client goes away. If a piece fails, the connection is cut without the
 * end of the answer, so that no client takes a part for the whole.
 */
export async function writePieces(response: ServerResponse, pieces: Pieces, failed: (error: unknown) => void): Promise<void> {
  await pipeline(reporting(pieces, failed), response).catch(() => response.destroy());
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
