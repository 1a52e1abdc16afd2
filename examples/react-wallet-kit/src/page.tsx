/** A page that signs users up with a passkey. Dialogs of the kit export and import their wallets. */
import { AuthState, ClientState, TurnkeyProvider, type TurnkeyProviderConfig, useTurnkey } from '@turnkey/react-wallet-kit';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@turnkey/react-wallet-kit/styles.css';

/** `build.ts` puts it there. */
declare const SETTINGS: TurnkeyProviderConfig;

const ETHEREUM = ['ADDRESS_FORMAT_ETHEREUM'] as const;

function Page() {
  const kit = useTurnkey();
  const [problem, setProblem] = useState('');
  /** A button. The kit rejects where its dialog is closed, or the service refuses. */
  const action = (name: string, run: () => Promise<unknown>) => (
    <button
      type="button"
      onClick={() => {
        setProblem('');
        run().catch((error: Error) => setProblem(error.message));
      }}
    >
      {name}
    </button>
  );
  const alert = <p role="alert">{problem}</p>;
  if (kit.clientState === ClientState.Error) return <p role="alert">The service cannot be reached from this page.</p>;
  if (kit.clientState !== ClientState.Ready) return <p role="status">One moment…</p>;
  if (kit.authState !== AuthState.Authenticated)
    return (
      <>
        <h1>Wallets of a kit</h1>
        {action('Sign in', () => kit.handleLogin())}
        {alert}
      </>
    );
  return (
    <>
      <h1>Your wallets</h1>
      <ul>
        {kit.wallets.map(({ walletId, walletName, accounts }) => (
          <li key={walletId}>
            {walletName}: <code>{accounts[0]?.address}</code>
            {action(`Export ${walletName}`, () => kit.handleExportWallet({ walletId }))}
            {accounts[0] &&
              action(`Export key of ${walletName}`, () => kit.handleExportWalletAccount({ address: accounts[0]!.address }))}
          </li>
        ))}
      </ul>
      {action('Make a wallet', () => kit.createWallet({ walletName: 'Made here', accounts: [...ETHEREUM] }))}
      {action('Import a wallet', () => kit.handleImportWallet({ defaultWalletAccounts: [...ETHEREUM], successPageDuration: 0 }))}
      {action('Sign out', () => kit.logout())}
      {alert}
    </>
  );
}

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <TurnkeyProvider config={SETTINGS}>
      <Page />
    </TurnkeyProvider>
  </StrictMode>,
);
