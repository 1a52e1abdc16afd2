import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Headers about one connection (RFC 9110 §7.6.1), and those of proxies alone. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What earlier proxies may have said about the client, which the client may have written itself. */
const SAID_OF_CLIENT = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/;

/** The headers that another connection gets too. */
export function endToEnd({ headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const named = headersDistinct.connection?.flatMap((text) => text.split(',')).map((name) => name.trim().toLowerCase()) ?? [];
  const left = new Set([...HOP_BY_HOP, ...named]);
  const headers: OutgoingHttpHeaders = Object.create(null);
  for (const [name, values] of Object.entries(headersDistinct)) if (!left.has(name)) headers[name] = values;
  return headers;
}

/**
 * The headers that the app gets. The client may name any header in Connection. So the length of the body, and what the runner says
 * about the client, come last.
 */
export function toApp(request: IncomingMessage, client: { address: string; protocol: string }): OutgoingHttpHeaders {
  const headers = endToEnd(request);
  for (const name of Object.keys(headers)) if (SAID_OF_CLIENT.test(name) || name === 'expect') delete headers[name];
  const { host, 'content-length': length, 'transfer-encoding': coding } = request.headers;
  const hasBody = coding !== undefined || length !== undefined;
  return Object.assign(headers, {
    host,
    ...(coding !== undefined ? { 'transfer-encoding': 'chunked' } : hasBody ? { 'content-length': length } : {}),
    'x-forwarded-for': client.address,
    'x-forwarded-host': host,
    'x-forwarded-proto': client.protocol,
  });
}

/** By these an answer makes nginx, Apache and others send a file of theirs in its place. */
const TO_PROXIES = ['x-accel-redirect', 'x-sendfile'];

/** The headers of an app's answer that the client, and a proxy on the way, get. */
export function toClient(answer: IncomingMessage): OutgoingHttpHeaders {
  const headers = endToEnd(answer);
  for (const name of TO_PROXIES) delete headers[name];
  // A 204 has no body, so a proxy could take the next answer for one.
  if (answer.statusCode === 204) delete headers['content-length'];
  return headers;
}
