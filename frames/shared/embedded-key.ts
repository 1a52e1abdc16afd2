import { toHex } from '../../src/base/bytes.ts';
import type { WebKey } from '../../src/bundles/web-hpke.ts';
import type { Answer, Handlers } from './channel.ts';
import { FrameError } from './frame-error.ts';
import type { KeyStore } from './key-store.ts';

const answer = (key: WebKey | undefined): Answer => ['EMBEDDED_PUBLIC_KEY', key === undefined ? '' : toHex(key.publicKey)];

/** The requests about the page's own key. */
export const aboutKey = (keys: KeyStore): Handlers => ({
  GET_EMBEDDED_PUBLIC_KEY: async () => answer(await keys.find()),
  INIT_EMBEDDED_KEY: async () => answer(await keys.demand()),
  RESET_EMBEDDED_KEY: async () => {
    await keys.remove();
    return ['EMBEDDED_KEY_RESET', null];
  },
});

/** The key to open a bundle with. Throws FrameError. */
export async function demandKey(keys: KeyStore): Promise<WebKey> {
  const key = await keys.find();
  if (key === undefined) throw new FrameError('the page has no key: it expired, was used or was reset. Load the page again');
  return key;
}
