import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../base/errors.ts';
import type { Trace } from '../engine/ports.ts';
import type { Account } from './account.ts';
import { PREFLIGHT_HEADERS, pathOf, type Read, send } from './answer.ts';
import type { OpenStream, StreamRequest, StreamSink } from './open-stream.ts';
import type { ServerParts } from './parts.ts';

export const STREAM_PATH = '/public/v1/stream/activities';

export const STREAM_OPTIONS = {
  ...PREFLIGHT_HEADERS,
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'Authorization, Last-Event-ID, Cache-Control',
};

const HEADERS = {
  'content-type': 'text/event-stream',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  // A ticket in the address must not reach other sites.
  'referrer-policy': 'no-referrer',
};

function sinkOf(response: ServerResponse): StreamSink {
  return {
    write: (bytes) => response.write(bytes),
    taken: () =>
      new Promise((resolve) => {
        if (response.destroyed || !response.writableNeedDrain) return resolve();
        const done = () => {
          response.off('drain', done).off('close', done);
          resolve();
        };
        response.on('drain', done).on('close', done);
      }),
    end: (bytes) => void response.end(bytes),
    cut: () => void response.destroy(),
    onClose(closed) {
      if (response.destroyed) closed();
      else response.once('close', closed);
    },
  };
}

/** EventSource cannot send headers, so it names the ticket in the address. No log has what follows the path. */
function requested({ headers, url }: IncomingMessage): Omit<StreamRequest, 'address'> {
  const query = new URLSearchParams(url!.slice(pathOf(url!).length));
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const lastEventId = headers['last-event-id'] ?? query.get('lastEventId') ?? '';
  return { ticket: bearer ?? query.get('ticket') ?? undefined, lastEventId: String(lastEventId) || undefined };
}

/** Activities as they change, for as long as the client reads. */
export function streamRead(
  { ids, addressOf, connections, metrics }: ServerParts,
  open: OpenStream,
  { answered, fail }: Account,
): Read {
  return async (request, response) => {
    if (request.method !== 'GET') throw new ApiError('METHOD_NOT_ALLOWED', 'this path accepts only GET');
    const remoteAddress = addressOf(request);
    const trace: Trace = {};
    const requestId = ids.next();
    const opened = await open({ ...requested(request), address: remoteAddress }, trace).catch((error: unknown) => {
      const { status, body, code, retryAfter } = fail(STREAM_PATH, requestId, error);
      answered('stream', { requestId, path: STREAM_PATH, status, code, trace, remoteAddress });
      send(response, { requestId, status, body, retryAfter });
      return undefined;
    });
    if (opened === undefined) return;
    connections.stream(response);
    response.writeHead(200, { ...HEADERS, 'x-request-id': requestId });
    metrics.requests.observe({ path: STREAM_PATH, status: 200 }, 0);
    answered('stream', { requestId, path: STREAM_PATH, status: 200, trace, remoteAddress });
    opened.begin(sinkOf(response));
  };
}
