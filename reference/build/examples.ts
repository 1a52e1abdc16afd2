/** Commands and code out of the bodies that tests ran. */
export type Ran = {
  path: string;
  name: string;
  /** Undefined: it is a query, or an endpoint of the auth proxy. */
  type: string | undefined;
  body: Readonly<Record<string, unknown>>;
};

const BASE = 'http://localhost:8080';

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** In a here-document that the shell expands. */
const forShell = (text: string) => text.replace(/[\\$`]/g, '\\$&');

const NOW = '"timestampMs": "$(date +%s)000"';

/** A body with the time of the shell. */
const bodyFor = ({ type, body }: Ran) =>
  type === undefined ? forShell(json(body)) : forShell(json(body)).replace(/"timestampMs": "\d+"/, () => NOW);

const curlWith = (ran: Ran, header: string) =>
  [
    `BODY=$(cat <<END\n${bodyFor(ran)}\nEND\n)`,
    `curl --data-binary "$BODY" \\\n  --header "${header}" \\\n  ${BASE}${ran.path}`,
  ].join('\n');

/** Stamped by the command line. */
export const curl = (ran: Ran) => curlWith(ran, 'X-Stamp: $(./countersign stamp "$BODY")');
export const curlByPasskey = (ran: Ran) => curlWith(ran, 'X-Stamp-WebAuthn: $ASSERTION');
export const curlOfProxy = (ran: Ran) => curlWith(ran, 'X-Auth-Proxy-Config-ID: $CONFIG_ID');

/** A here-document that the shell does not expand. */
export function cli({ name, type, body }: Ran): string {
  const { organizationId: _, ...query } = body;
  const [command, parameters] = type === undefined ? ['query', query] : ['submit', body.parameters];
  return `./countersign ${command} ${name} - <<'END'\n${json(parameters)}\nEND`;
}

const HTTP_CLIENT = `import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';

const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const client = new TurnkeyClient({ baseUrl: '${BASE}' }, stamper);`;

const PAGES_CLIENT = `import { TurnkeyClient } from '@turnkey/core';

const url = '${BASE}';
const client = new TurnkeyClient({ apiBaseUrl: url, authProxyUrl: url, authProxyConfigId, organizationId });
await client.init();`;

/** As in a program, with its own time. */
const inProgram = ({ type, body }: Ran) =>
  type === undefined ? json(body) : json(body).replace(/"timestampMs": "\d+"/, '"timestampMs": String(Date.now())');

/** `method`: of the published client. Without one, the client sends to the path. */
export function sdk(ran: Ran, method: string | undefined): string {
  const call = method === undefined ? `request('${ran.path}', ` : `${method}(`;
  return `${HTTP_CLIENT}\nconst answer = await client.${call}${inProgram(ran)});`;
}

/** Of pages, whose client calls the proxy. */
export const sdkOfProxy = (ran: Ran, method: string) =>
  `${PAGES_CLIENT}\nconst answer = await client.httpClient.${method}(${inProgram(ran)});`;
