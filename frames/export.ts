/// <reference lib="dom" />
/** Opens an export bundle that is sealed to this page's key, and shows the secret. */
import { fromUtf8, toHex, zero } from '../src/base/bytes.ts';
import { writeKey } from '../src/bundles/key-formats.ts';
import { readExportBundle } from '../src/bundles/signed-bundle.ts';
import { splitExportedMnemonic } from '../src/bundles/wallet-text.ts';
import { webOpen } from '../src/bundles/web-hpke.ts';
import { type Answer, type Request, serve, textOf } from './shared/channel.ts';
import { aboutKey, demandKey } from './shared/embedded-key.ts';
import { signers } from './shared/embedding.ts';
import { FrameError } from './shared/frame-error.ts';
import { keyStore } from './shared/key-store.ts';
import { applyStyles, readSettings } from './shared/settings.ts';

const keys = keyStore('export');
const box = document.querySelector<HTMLElement>('#key-div')!;
const passphrase = document.querySelector<HTMLElement>('#passphrase')!;

function reveal(label: string, secret: string, second = ''): void {
  box.setAttribute('aria-label', label);
  box.textContent = secret;
  passphrase.textContent = second;
  passphrase.parentElement!.hidden = second === '';
}

/** The key opens one bundle: a copy of the bundle that is found later is of no use. */
async function inject(request: Request, show: (plaintext: Uint8Array) => void): Promise<Answer> {
  const message = readExportBundle(textOf(request, 'value'), signers(), textOf(request, 'organizationId', 100));
  const plaintext = await webOpen(await demandKey(keys), message);
  try {
    show(plaintext);
  } finally {
    zero(plaintext);
  }
  await keys.remove();
  return ['BUNDLE_INJECTED', true];
}

function showWallet(plaintext: Uint8Array): void {
  const text = fromUtf8(plaintext);
  if (text === undefined || text === '') throw new FrameError('the bundle has no recovery phrase');
  const { mnemonic, passphrase: second } = splitExportedMnemonic(text);
  reveal('Recovery phrase', mnemonic, second);
}

addEventListener('pagehide', () => reveal('', ''));

serve({
  name: 'export',
  begin: async (ttlMs) => toHex((await keys.demand(ttlMs)).publicKey),
  handlers: {
    ...aboutKey(keys),
    INJECT_WALLET_EXPORT_BUNDLE: (request) => inject(request, showWallet),
    INJECT_KEY_EXPORT_BUNDLE: (request) =>
      inject(request, (plaintext) => reveal('Private key', writeKey(plaintext, request.keyFormat))),
    APPLY_SETTINGS: ({ value }) => {
      applyStyles(readSettings(value).styles, box);
      return ['SETTINGS_APPLIED', true];
    },
  },
});
