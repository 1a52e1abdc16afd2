/** The published browser client in Node.js. What it asks of a browser is kept in memory, for one person at a time. */
import * as database from 'fake-indexeddb';

class Kept extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null;
  setItem = (key: string, value: string) => void this.set(key, value);
  removeItem = (key: string) => void this.delete(key);
}

const localStorage = new Kept();
Object.assign(globalThis, database, { window: { localStorage, location: { hostname: 'localhost' } }, document: {} });

// It looks for the browser when it is loaded.
export const published = await import('@turnkey/core');

export type Core = InstanceType<typeof published.TurnkeyClient>;

/** As in a browser that was never here. */
export async function newCore(url: string, organizationId: string, configId: string): Promise<Core> {
  localStorage.clear();
  const client = new published.TurnkeyClient({ apiBaseUrl: url, authProxyUrl: url, authProxyConfigId: configId, organizationId });
  await client.init();
  return client;
}
