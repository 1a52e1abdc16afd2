import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** The runner's own answer. If an answer has begun, its end would look like the whole: then the connection is cut. */
export function refuse(response: ServerResponse, status: number, message: string, headers: OutgoingHttpHeaders = {}): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = `${JSON.stringify({ message })}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
