import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyEndpoint } from '../../auth-proxy/declare.ts';
import { type AuthProxy, allows, type ProxyRequest } from '../../auth-proxy/serve.ts';
import { ApiError } from '../../base/errors.ts';
import type { Trace } from '../../engine/ports.ts';
import type { Account } from '../account.ts';
import { ANY_ORIGIN, ignoredFields, type ReadableBy, send } from '../answer.ts';
import type { ServerParts } from '../parts.ts';

export type ServeEndpoint = (
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: ProxyEndpoint,
  body: Buffer,
) => Promise<void>;

function requestOf({ headers }: IncomingMessage, address: string | undefined): ProxyRequest {
  const {
    origin,
    'x-auth-proxy-config-id': configId,
    'x-captcha-token': captchaToken,
  } = headers as { [name: string]: string | undefined };
  return { origin, configId, captchaToken, address };
}

const foreign = (origin: string) =>
  new ApiError('FORBIDDEN', `origin not allowed: ${origin.slice(0, 200)} is not an allowed origin of this auth proxy`);

/** Answers a request to the auth proxy. Once the application is known, only pages of an origin that it allows may read the answer. */
export function proxyOperator(
  { elapsed, ids, metrics, addressOf }: ServerParts,
  { fail, answered }: Account,
  proxy: AuthProxy,
): ServeEndpoint {
  return async (message, response, endpoint, body) => {
    const started = elapsed.now();
    const requestId = ids.next();
    const trace: Trace = {};
    const remoteAddress = addressOf(message);
    const request = requestOf(message, remoteAddress);
    const { path } = endpoint;
    let readableBy: ReadableBy = ANY_ORIGIN;
    let status = 200;
    let code: string | undefined;
    let retryAfter: number | undefined;
    let json: string;
    try {
      const application = await proxy.find(request);
      readableBy = request.origin ?? ANY_ORIGIN;
      if (!allows(application.config, request.origin)) {
        readableBy = null;
        throw foreign(request.origin!);
      }
      json = await proxy.run(endpoint, application, request, body, trace);
    } catch (error) {
      ({ status, code, retryAfter, body: json } = fail(path, requestId, error));
    }
    const ms = elapsed.now() - started;
    metrics.requests.observe({ path, status }, ms / 1000);
    answered(endpoint.name, { requestId, path, status, ms, code, trace, remoteAddress });
    const fields = trace.ignored === undefined ? '' : ignoredFields(trace.ignored);
    const more = ['vary', 'Origin', ...(fields === '' ? [] : ['x-ignored-fields', fields])];
    send(response, { requestId, status, body: json, retryAfter }, more, readableBy);
  };
}
