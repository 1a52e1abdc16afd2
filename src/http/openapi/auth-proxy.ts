import type { ProxyEndpoint } from '../../auth-proxy/declare.ts';
import { VERSION } from '../../base/version.ts';
import { ERROR, json, type Schema, schemaOf } from './schemas.ts';

const CONFIG = {
  name: 'X-Auth-Proxy-Config-ID',
  in: 'header',
  required: true,
  schema: { type: 'string', format: 'uuid' },
  description: 'The id of the configuration, as UPDATE_AUTH_PROXY_CONFIG returns it',
};

const CAPTCHA = {
  name: 'X-Captcha-Token',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 2048 },
  description: 'A Turnstile token, if the configuration requires a captcha. A sign-up with a verification token needs none',
};

const operation = (endpoint: ProxyEndpoint): Schema => ({
  operationId: endpoint.name,
  summary: endpoint.summary,
  tags: ['AUTH_PROXY'],
  security: [],
  parameters: endpoint.captcha ? [CONFIG, CAPTCHA] : [CONFIG],
  requestBody: { required: !endpoint.bodyless, ...json(schemaOf(endpoint.params, 'input')) },
  responses: {
    200: { description: 'The answer', ...json(schemaOf(endpoint.result, 'output')) },
    default: { $ref: '#/components/responses/Error' },
  },
});

/** The document of the auth proxy (OpenAPI 3.1), generated only from the list. */
export function authProxyOpenapi(endpoints: readonly ProxyEndpoint[]): Schema {
  const sorted = endpoints.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign auth proxy',
      version: VERSION,
      description: 'Sign-ups and logins that pages request without a stamp, on behalf of an application.',
    },
    paths: Object.fromEntries(sorted.map((endpoint) => [endpoint.path, { post: operation(endpoint) }])),
    components: ERROR,
  };
}
