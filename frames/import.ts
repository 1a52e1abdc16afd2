/// <reference lib="dom" />
/** Seals what a user types to the key of an import bundle. */
import { toHex, utf8, zero } from '../src/base/bytes.ts';
import { readKey } from '../src/bundles/key-formats.ts';
import { readImportBundle } from '../src/bundles/signed-bundle.ts';
import { joinImportedMnemonic } from '../src/bundles/wallet-text.ts';
import { webSeal } from '../src/bundles/web-hpke.ts';
import { type Answer, serve, textOf } from './shared/channel.ts';
import { signers } from './shared/embedding.ts';
import { FrameError } from './shared/frame-error.ts';
import { applyStyles, readSettings } from './shared/settings.ts';

const at = <T extends HTMLElement>(id: string) => document.querySelector<T>(`#${id}`)!;
const typed = at<HTMLTextAreaElement>('plaintext');
const passphrase = at<HTMLTextAreaElement>('passphrase');
const [label, passphraseLabel] = [at('mnemonic-label'), at('passphrase-label')];

let target: Uint8Array | undefined;

function empty(): void {
  typed.value = '';
  passphrase.value = '';
}

async function extract(plaintext: () => Uint8Array): Promise<Answer> {
  if (target === undefined) throw new FrameError('an import bundle must be injected first');
  if (typed.value.trim() === '') throw new FrameError('nothing is typed yet');
  const secret = plaintext();
  try {
    const { enc, ciphertext } = await webSeal(target, secret);
    target = undefined;
    empty();
    return ['ENCRYPTED_BUNDLE_EXTRACTED', JSON.stringify({ encappedPublic: toHex(enc), ciphertext: toHex(ciphertext) })];
  } finally {
    zero(secret);
  }
}

function wallet(): Uint8Array {
  const second = passphrase.hidden ? '' : passphrase.value;
  const text = joinImportedMnemonic({ mnemonic: typed.value, passphrase: second });
  if (text === undefined)
    throw new FrameError('the words, and the passphrase, must each be on one line of at most 1024 characters');
  return utf8(text);
}

/** Other programs read the clipboard. A browser allows this only where the app lets it. */
async function emptyClipboard(): Promise<void> {
  try {
    await navigator.clipboard.writeText('');
  } catch {
    // The app or the browser does not allow it.
  }
}

for (const area of [typed, passphrase]) area.addEventListener('paste', () => void emptyClipboard());
addEventListener('pagehide', empty);

serve({
  name: 'import',
  begin: async () => '',
  handlers: {
    INJECT_IMPORT_BUNDLE(request) {
      const [organizationId, userId] = [textOf(request, 'organizationId', 100), textOf(request, 'userId', 100)];
      target = readImportBundle(textOf(request, 'value'), signers(), { organizationId, userId });
      return ['BUNDLE_INJECTED', true];
    },
    EXTRACT_WALLET_ENCRYPTED_BUNDLE: () => extract(wallet),
    EXTRACT_KEY_ENCRYPTED_BUNDLE: ({ keyFormat }) => extract(() => readKey(typed.value.trim(), keyFormat)),
    APPLY_SETTINGS({ value }) {
      const { styles, passphraseStyles, enablePassphrase } = readSettings(value);
      applyStyles(styles, typed, label);
      applyStyles(passphraseStyles, passphrase, passphraseLabel);
      for (const element of [label, passphraseLabel, passphrase]) element.hidden = !enablePassphrase;
      return ['SETTINGS_APPLIED', true];
    },
  },
});
