import { TurnkeyClient } from '@turnkey/http';

type Called = (body: object) => unknown;

/** The methods of the published client, by the path that each sends to. */
export function clientMethods(served: readonly string[]): Record<string, string> {
  const client = new TurnkeyClient(
    { baseUrl: 'http://localhost' },
    { stamp: () => Promise.reject(new Error('nothing is sent')) },
  );
  let asked = '';
  client.request = (path) => {
    asked = path;
    return new Promise(() => {});
  };
  const methods = Object.entries(client as unknown as Record<string, Called>).filter(
    ([name, value]) => typeof value === 'function' && name !== 'request' && !name.startsWith('stamp'),
  );
  const byPath = new Map<string, string>();
  for (const [name, call] of methods) {
    asked = '';
    call({});
    if (served.includes(asked)) byPath.set(asked, name);
  }
  return Object.fromEntries([...byPath].sort(([a], [b]) => (a < b ? -1 : 1)));
}
