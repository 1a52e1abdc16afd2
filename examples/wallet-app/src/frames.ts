/** Exports and imports of wallets, in pages of the service. Scripts of this page never have the words. */
import { generateWalletAccountsFromAddressFormat, type TurnkeyClient } from '@turnkey/core';
import { IframeStamper } from '@turnkey/iframe-stamper';
import { InWords } from './words.ts';

/** The published client waits for ever for a frame that refuses the page. */
const LONGEST_WAIT_MS = 15_000;
const NAMES = { export: 'Recovery phrase', import: 'Import of a wallet' } as const;

async function begun(frame: IframeStamper): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    const problem = new InWords('The service does not let this page show its frames. Its operator can name the page.');
    timer = setTimeout(fail, LONGEST_WAIT_MS, problem);
  });
  await Promise.race([frame.init(), late]).finally(() => clearTimeout(timer));
}

/** `url`: where the service has its frames. One is open at a time. */
export function framesOf(client: TurnkeyClient, url: string) {
  let shown: IframeStamper | undefined;

  /** With the frame goes what it shows. */
  function close(): void {
    shown?.clear();
    shown = undefined;
  }

  async function open(name: keyof typeof NAMES, iframeContainer: HTMLElement): Promise<IframeStamper> {
    close();
    shown = new IframeStamper({ iframeUrl: `${url}/frames/${name}`, iframeElementId: 'frame', iframeContainer });
    shown.iframe.title = NAMES[name];
    await begun(shown);
    return shown;
  }

  /** Shows the words of a wallet in the container. */
  async function showPhrase(walletId: string, container: HTMLElement): Promise<void> {
    const frame = await open('export', container);
    const { organizationId } = (await client.getSession())!;
    const bundle = await client.exportWallet({ walletId, targetPublicKey: frame.publicKey()! });
    await frame.injectWalletExportBundle(bundle, organizationId);
  }

  /** Asks for the words of a wallet in the container. */
  async function askForPhrase(container: HTMLElement): Promise<void> {
    const frame = await open('import', container);
    await frame.applySettings({ enablePassphrase: true });
  }

  /** Makes a wallet of what was typed, which the frame seals to the service. */
  async function importWallet(walletName: string): Promise<void> {
    const { organizationId, userId } = (await client.getSession())!;
    const { importBundle } = await client.httpClient.initImportWallet({ userId });
    await shown!.injectImportBundle(importBundle, organizationId, userId);
    const encryptedBundle = await shown!.extractWalletEncryptedBundle();
    const accounts = generateWalletAccountsFromAddressFormat({ addresses: ['ADDRESS_FORMAT_ETHEREUM'] });
    await client.importWallet({ walletName, encryptedBundle, accounts });
  }

  return { close, showPhrase, askForPhrase, importWallet };
}
