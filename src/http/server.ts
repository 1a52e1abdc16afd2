import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { ApiError } from '../base/errors.ts';
import { account } from './account.ts';
import { CLOSE, PREFLIGHT_HEADERS, pathOf, type Read } from './answer.ts';
import { proxyOperator } from './auth-proxy/operator.ts';
import { bodyReader } from './body.ts';
import { devOutboxRead, OUTBOX_OPTIONS, OUTBOX_PATH } from './dev-outbox.ts';
import { noSuchPath } from './no-such-path.ts';
import { operationsOf, operator } from './operations.ts';
import { readPage } from './pages.ts';
import type { ServerParts } from './parts.ts';
import { probes } from './probes.ts';
import { explainer, refuser, unroutable } from './refusals.ts';
import type { Handler } from './service.ts';
import { STREAM_OPTIONS, STREAM_PATH, streamRead } from './stream.ts';
import { tracedAccount, tracedAnswer, tracedRefusal } from './traced.ts';
import { WEBHOOK_KEYS_PATH, webhookKeysRead } from './webhook-keys.ts';

const BODY_LIMIT = 1024 * 1024;
const DOCS_PATH = '/docs';
const CONSOLE_PATH = '/console/';
const INVITATION_PATH = '/accept-invitation';

const preflights = new Map<string, OutgoingHttpHeaders>([
  [OUTBOX_PATH, OUTBOX_OPTIONS],
  [STREAM_PATH, STREAM_OPTIONS],
]);

const noPath = (why: string) => new ApiError('ROUTE_NOT_FOUND', `no such path: ${why}`);
const framesElsewhere = () =>
  noPath('frames are off, or have their own port on this service: see FRAMES, FRAMES_ALLOWED_ORIGINS and FRAMES_PORT');
const consoleElsewhere = () => noPath('the console is off, or has its own port on this service: see CONSOLE and CONSOLE_PORT');
const proxyElsewhere = () => noPath('the auth proxy has its own port on this service, which AUTH_PROXY_PORT names');

/** Every operation is a POST whose raw bytes reach the engine untouched. Bodies are JSON whatever their content type says. */
export function requestHandler(parts: ServerParts): Handler {
  const { log, metrics, elapsed, pages, reference, home, console: consoleAt, devOutbox, authProxy, unstamped, spans } = parts;
  const plain = account(log, metrics, elapsed);
  const accounts = spans ? tracedAccount(plain, spans) : plain;
  const operations = operationsOf(parts);
  const read = new Map<string, Read>([
    ...probes(parts),
    ...pages.map((page) => [page.path, readPage(page)] as const),
    ...(parts.webhookKeys ? [[WEBHOOK_KEYS_PATH, webhookKeysRead(parts.webhookKeys)] as const] : []),
    ...(parts.openStream ? [[STREAM_PATH, streamRead(parts, parts.openStream, accounts)] as const] : []),
    ...(reference ? [[DOCS_PATH, ((...sent) => reference(DOCS_PATH)!(...sent)) as Read] as const] : []),
    ...(home ? [['/', home] as const] : []),
    ...(consoleAt ? [[CONSOLE_PATH, ((...sent) => consoleAt(CONSOLE_PATH)!(...sent)) as Read] as const] : []),
    ...(devOutbox ? [[OUTBOX_PATH, devOutboxRead(devOutbox)] as const] : []),
  ]);
  const endpoints = new Map(authProxy?.endpoints.map((endpoint) => [endpoint.path, endpoint]));
  const posts = [...operations.keys(), ...endpoints.keys()];
  const unknown = noSuchPath([...posts, ...read.keys()]);
  const { servesOnly } = parts;
  const explainPath = (path: string) => {
    if (servesOnly !== undefined) return noPath(`this port serves only ${servesOnly}`);
    if (path.startsWith('/frames/')) return framesElsewhere();
    if (path.startsWith(CONSOLE_PATH) && !consoleAt) return consoleElsewhere();
    return !authProxy && path.startsWith('/v1/') ? proxyElsewhere() : unknown(path);
  };
  const explain = explainer(posts, [...read.keys()], explainPath);
  const operate = tracedAnswer(operator(parts, accounts), spans);
  const serve = authProxy && tracedAnswer(proxyOperator(parts, accounts, authProxy), spans);
  const refuse = tracedRefusal(
    refuser(parts, accounts, (path) => operations.get(path) ?? endpoints.get(path)),
    spans,
  );
  const readBody = bodyReader(BODY_LIMIT);
  const lost = (error: unknown) => log.error({ error }, 'an answer could not be sent');

  const withoutBody: RequestListener = async (request, response) => {
    const path = pathOf(request.url!);
    try {
      const invited = path === INVITATION_PATH ? consoleAt?.(path) : undefined;
      const answer = invited ?? read.get(path) ?? reference?.(path) ?? consoleAt?.(path);
      if (answer === undefined) {
        const { error, headers } = explain(path);
        return refuse(request, response, error, headers);
      }
      await answer(request, response);
    } catch (error) {
      refuse(request, response, error);
    }
  };

  const withBody: RequestListener = (request, response) =>
    readBody(request, (failed, body) => {
      const path = pathOf(request.url!);
      const operation = request.method === 'POST' ? operations.get(path) : undefined;
      if (failed !== null) {
        // The client is gone, and gets no answer.
        if ((failed as { code?: string }).code === 'ECONNRESET' && !request.complete)
          return log.debug({ path }, 'the client ended its connection before its request was complete');
        return refuse(request, response, failed, CLOSE);
      }
      if (operation !== undefined) return void operate(request, response, operation, body).catch(lost);
      const endpoint = request.method === 'POST' ? endpoints.get(path) : undefined;
      if (endpoint !== undefined) return void serve!(request, response, endpoint, body).catch(lost);
      if (request.method === 'OPTIONS') return void response.writeHead(204, preflights.get(path) ?? PREFLIGHT_HEADERS).end();
      const { error, headers } = explain(path);
      refuse(request, response, error, headers);
    });

  return (request, response, stopping) => {
    if (stopping) return refuse(request, response, new ApiError('UNAVAILABLE', 'the service is stopping: try again'), CLOSE);
    const error = unroutable(request);
    if (error !== undefined) return refuse(request, response, error);
    const refused = request.method === 'POST' ? parts.refused() : undefined;
    if (refused !== undefined) return refuse(request, response, refused, CLOSE);
    const tooMany = unstamped?.(request, response);
    if (tooMany !== undefined) return refuse(request, response, tooMany.error, tooMany.headers, tooMany.again);
    const { method } = request;
    return method === 'GET' || method === 'HEAD' ? withoutBody(request, response) : withBody(request, response);
  };
}
