/// <reference lib="dom" />
/** Opens a credential bundle that is sealed to this page's key. Stamps requests with the API key in it. */
import { toBase64Url, toHex, utf8, zero } from '../src/base/bytes.ts';
import { readCredentialBundle } from '../src/bundles/credential-bundle.ts';
import { compressedP256, derOfP256, importP256, type WebKey, webOpen } from '../src/bundles/web-hpke.ts';
import { type Answer, type Request, serve, textOf } from './shared/channel.ts';
import { aboutKey, demandKey } from './shared/embedded-key.ts';
import { FrameError } from './shared/frame-error.ts';
import { keyStore } from './shared/key-store.ts';

const LONGEST_BODY = 1024 * 1024;

const keys = keyStore('auth');
/** In memory alone: a reload of the page ends the session. */
let credential: WebKey | undefined;

async function inject(request: Request): Promise<Answer> {
  const { compressed, ciphertext } = readCredentialBundle(textOf(request, 'value', 4096), true);
  const secret = await webOpen(await demandKey(keys), { enc: compressed, ciphertext });
  try {
    credential = await importP256(secret, 'ECDSA', 'sign');
  } finally {
    zero(secret);
  }
  return ['BUNDLE_INJECTED', true];
}

async function stamp(request: Request): Promise<Answer> {
  const body = textOf(request, 'value', LONGEST_BODY);
  if (credential === undefined) throw new FrameError('a credential bundle must be injected first');
  const { privateKey, publicKey } = credential;
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(body));
  const stamped = {
    publicKey: toHex(compressedP256(publicKey)),
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature: toHex(derOfP256(new Uint8Array(signature))),
  };
  return ['STAMP', toBase64Url(utf8(JSON.stringify(stamped)))];
}

const ofKey = aboutKey(keys);

serve({
  name: 'auth',
  begin: async (ttlMs) => toHex((await keys.demand(ttlMs)).publicKey),
  handlers: {
    ...ofKey,
    RESET_EMBEDDED_KEY(request) {
      credential = undefined;
      return ofKey.RESET_EMBEDDED_KEY!(request);
    },
    INJECT_CREDENTIAL_BUNDLE: inject,
    INJECT_RECOVERY_BUNDLE: inject,
    STAMP_REQUEST: stamp,
  },
});
