import type { ProxyEndpoint } from '../../../src/auth-proxy/declare.ts';
import { VERSION } from '../../../src/base/version.ts';
import type { ActivityKind } from '../../../src/engine/activity/declare.ts';
import { describe } from './describe.ts';
import { LICENSE, SERVERS } from './document.ts';
import { ALWAYS, ERROR_SCHEMAS, RESPONSES, refusals } from './errors.ts';
import { examplesOf } from './examples.ts';
import { joined } from './names.ts';
import { json, type Schema, Shapes } from './shapes.ts';

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

const TAG = 'Auth proxy';

/** Its own codes, and those of the activities that it submits. An unknown configuration is not found. */
function errorsOf({ errors, submits }: ProxyEndpoint, activities: readonly ActivityKind[]) {
  const kinds = submits.map((type) => activities.find(({ versions }) => versions.has(type))!);
  const all = new Set(['NOT_FOUND' as const, ...errors, ...kinds.flatMap((kind) => kind.errors)]);
  return [...all].filter((code) => !ALWAYS.includes(code));
}

function operation(shapes: Shapes, endpoint: ProxyEndpoint, activities: readonly ActivityKind[]): Schema {
  const { name, summary, params, result, captcha, bodyless } = endpoint;
  const { requests, answers } = examplesOf([`proxy:${name}`]);
  const limits = 'Requests are limited for each client address and contact: a 429 says when to try again.';
  return {
    operationId: name,
    summary,
    description: `Pages call it without a stamp. The proxy's user of the configured organization does the work. ${limits}`,
    tags: [TAG],
    security: [],
    parameters: captcha ? [CONFIG, CAPTCHA] : [CONFIG],
    requestBody: { required: !bodyless, ...json(shapes.of(params, 'input', `${joined(name)}ProxyRequest`), requests) },
    responses: {
      200: { description: 'The outcome.', ...json(shapes.of(result, 'output', `${joined(name)}ProxyResponse`), answers) },
      ...refusals(errorsOf(endpoint, activities)),
    },
  };
}

/** The document of the auth proxy (OpenAPI 3.1), generated only from the list. */
export function authProxyOpenapi(endpoints: readonly ProxyEndpoint[], activities: readonly ActivityKind[]): Schema {
  const shapes = new Shapes();
  const sorted = endpoints.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const paths = Object.fromEntries(sorted.map((endpoint) => [endpoint.path, { post: operation(shapes, endpoint, activities) }]));
  for (const [name, schema] of Object.entries(ERROR_SCHEMAS)) shapes.add(name, schema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign auth proxy',
      version: VERSION,
      license: LICENSE,
      description: 'Sign-ups and logins that pages request without a stamp, on behalf of an application.',
    },
    servers: SERVERS,
    tags: [{ name: TAG, description: 'Sign-up, login and one-time codes of an application’s users.' }],
    paths,
    components: { schemas: describe(shapes.schemas), responses: RESPONSES },
  };
}
