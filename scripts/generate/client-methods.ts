import { createRequire } from 'node:module';
import { TurnkeyClient } from '@turnkey/http';

// The package exports the class that has it, which needs a browser's storage.
const { TurnkeySDKClientBase } = createRequire(import.meta.url)('@turnkey/core/dist/__generated__/sdk-client-base.js');

type Called = (body: object) => unknown;
type Client = Record<string, unknown>;

const nothing = () => Promise.reject(new Error('nothing is sent'));

/** The methods of a client by the path that each sends to. `send`: the method by which the others send. */
function methodsOf(client: Client, send: string, mayBe: (name: string) => boolean): [path: string, method: string][] {
  let asked = '';
  client[send] = (path: string) => {
    asked = path;
    return new Promise(() => {});
  };
  const methods = Object.entries(client).filter(([name, value]) => typeof value === 'function' && name !== send && mayBe(name));
  return methods.flatMap(([name, call]) => {
    asked = '';
    (call as Called)({});
    return asked === '' ? [] : [[asked, name]];
  });
}

/** The methods of the published clients, by the path that each sends to. */
export function clientMethods(served: readonly string[]): Record<string, string> {
  const http = new TurnkeyClient({ baseUrl: 'http://localhost' }, { stamp: nothing }) as unknown as Client;
  const core = new TurnkeySDKClientBase({ authProxyUrl: 'http://localhost', authProxyConfigId: '' }) as Client;
  const methods = [
    ...methodsOf(http, 'request', (name) => !name.startsWith('stamp')),
    ...methodsOf(core, 'authProxyRequest', (name) => name.startsWith('proxy')),
  ];
  const known = methods.filter(([path]) => served.includes(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(known);
}
