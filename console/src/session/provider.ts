/**
 * Signing in at an OpenID provider, in a window of its own. Its token names a key that is made here, and is useless without it. The
 * window comes back to this origin, and hands the token to the page that waits.
 */
import { toHex } from '../../../src/base/bytes.ts';
import { digestOf } from '../service/bytes.ts';
import { logins } from '../service/logins.ts';
import { type Attested, newStampKey } from '../service/stamps.ts';

export const RETURN_PATH = '/console/signed-in';
const CHANNEL = 'countersign.provider';
const LONGEST_MS = 10 * 60_000;

/** From the window that comes back. */
export type Returned = { state: string; token?: string | undefined; error?: string | undefined };
/** From the page that waits. */
type Taken = { taken: string };

export const providerHost = (): string => new URL(logins().oidcUrl!).host;

async function addressOf(oidcUrl: string, publicKey: string, state: string): Promise<URL> {
  const url = new URL(oidcUrl);
  if (!url.searchParams.has('scope')) url.searchParams.set('scope', 'openid');
  url.searchParams.set('response_type', 'id_token');
  url.searchParams.set('redirect_uri', location.origin + RETURN_PATH);
  url.searchParams.set('nonce', await digestOf(publicKey));
  url.searchParams.set('state', state);
  return url;
}

/** Throws an error for people. `signal`: the person cancelled. */
export async function proveAtProvider(signal: AbortSignal): Promise<Attested> {
  const key = await newStampKey();
  const state = toHex(crypto.getRandomValues(new Uint8Array(16)));
  const address = await addressOf(logins().oidcUrl!, key.publicKey, state);
  const channel = new BroadcastChannel(CHANNEL);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  try {
    ended.throwIfAborted();
    if (window.open(address) === null) throw new Error('the browser blocked the window: allow windows of this page');
    const { token, error } = await new Promise<Returned>((resolve, reject) => {
      ended.addEventListener('abort', () => reject(ended.reason), { once: true });
      channel.onmessage = ({ data }: MessageEvent<Returned>) => {
        if (data.state !== state) return;
        channel.postMessage({ taken: state } satisfies Taken);
        resolve(data);
      };
    });
    if (token === undefined) throw new Error(`the provider answered: ${error ?? 'no token'}`);
    return { by: 'provider', key, token };
  } finally {
    channel.close();
  }
}

/** What the provider gave, which leaves the address at once. Undefined: this is another page. */
export function takeReturn(): Returned | undefined {
  if (location.pathname !== RETURN_PATH) return undefined;
  const given = new URLSearchParams(location.hash.slice(1));
  const asked = new URLSearchParams(location.search);
  history.replaceState(null, '', location.pathname);
  const found = (name: string) => given.get(name) ?? asked.get(name) ?? undefined;
  return {
    state: found('state') ?? '',
    token: given.get('id_token') ?? undefined,
    error: found('error_description') ?? found('error'),
  };
}

/** Gives it to the page that waits, and calls `taken` when that has it. Returns what ends it. */
export function handOver(returned: Returned, taken: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<Taken>) => {
    if (data.taken === returned.state) taken();
  };
  channel.postMessage(returned);
  return () => channel.close();
}
