/// <reference lib="dom" />
/** Opens export bundles that are sealed to this page's key. Keeps the keys in memory, and signs with them. */
import { toHex, zero } from '../src/base/bytes.ts';
import { isObject } from '../src/base/json.ts';
import { readExportBundle } from '../src/bundles/signed-bundle.ts';
import { importP256, type WebKey, webOpen } from '../src/bundles/web-hpke.ts';
import { type Answer, type Request, serve, textOf } from './shared/channel.ts';
import { aboutKey, demandKey } from './shared/embedded-key.ts';
import { signers } from './shared/embedding.ts';
import { FrameError } from './shared/frame-error.ts';
import { keyStore } from './shared/key-store.ts';
import { applyStyles, readSettings } from './shared/settings.ts';
import { signMessage, signTransaction } from './shared/signing.ts';
import { signingKeys } from './shared/signing-keys.ts';

const LONGEST_TRANSACTION = 300_000;

const keys = keyStore('sign');
const held = signingKeys(() => Date.now());
/** A key that the app's organization keeps, in place of the page's own. */
let override: WebKey | undefined;

async function opened(request: Request, key: () => Promise<WebKey>): Promise<Uint8Array> {
  const message = readExportBundle(textOf(request, 'value'), signers(), textOf(request, 'organizationId', 100));
  return webOpen(await key(), message);
}

const addressOf = ({ address }: Request): string | undefined => {
  if (address === undefined) return undefined;
  if (typeof address !== 'string' || address === '' || address.length > 200) throw new FrameError('address must be a short text');
  return address;
};

async function inject(request: Request): Promise<Answer> {
  const address = addressOf(request);
  const secret = await opened(request, async () => override ?? demandKey(keys));
  try {
    if (secret.length !== 32) throw new FrameError('the bundle has no key of 32 bytes');
    held.add(address, secret, request.keyFormat);
  } finally {
    zero(secret);
  }
  return ['BUNDLE_INJECTED', true];
}

async function setOverride(request: Request): Promise<Answer> {
  const secret = await opened(request, () => demandKey(keys));
  try {
    override = await importP256(secret, 'ECDH', 'deriveBits');
  } finally {
    zero(secret);
  }
  return ['EMBEDDED_KEY_OVERRIDE_SET', true];
}

/** `{ [name]: text, type }`. */
function wanted(request: Request, name: 'message' | 'transaction'): { text: string; type: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(textOf(request, 'value', LONGEST_TRANSACTION));
  } catch (error) {
    throw error instanceof FrameError ? error : new FrameError('value must be JSON');
  }
  if (!isObject(value) || typeof value[name] !== 'string') throw new FrameError(`value must have the text ${name}`);
  return { text: value[name], type: value.type };
}

const ofKey = aboutKey(keys);
addEventListener('pagehide', () => held.clear(undefined, true));

serve({
  name: 'sign',
  begin: async (ttlMs) => toHex((await keys.demand(ttlMs)).publicKey),
  handlers: {
    ...ofKey,
    INJECT_KEY_EXPORT_BUNDLE: inject,
    INJECT_WALLET_EXPORT_BUNDLE: () => {
      throw new FrameError('the sign page takes keys: export an account of the wallet');
    },
    SIGN_TRANSACTION(request) {
      const { text, type } = wanted(request, 'transaction');
      return ['TRANSACTION_SIGNED', signTransaction(held.find(addressOf(request)), text, type)];
    },
    SIGN_MESSAGE(request) {
      const { text, type } = wanted(request, 'message');
      return ['MESSAGE_SIGNED', signMessage(held.find(addressOf(request)), text, type)];
    },
    CLEAR_EMBEDDED_PRIVATE_KEY(request) {
      held.clear(addressOf(request));
      return ['EMBEDDED_PRIVATE_KEY_CLEARED', true];
    },
    SET_EMBEDDED_KEY_OVERRIDE: setOverride,
    RESET_TO_DEFAULT_EMBEDDED_KEY() {
      override = undefined;
      return ['RESET_TO_DEFAULT_EMBEDDED_KEY', true];
    },
    APPLY_SETTINGS({ value }) {
      applyStyles(readSettings(value).styles, document.querySelector<HTMLElement>('#key-div')!);
      return ['SETTINGS_APPLIED', true];
    },
  },
});
