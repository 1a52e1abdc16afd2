/** The page: what is shown, and what its buttons do. */
import type { WalletAccount } from '@turnkey/core';
import { showNetwork, showSend, transferOf } from './sends.ts';
import { type App, openApp, type SentCode, type Settings } from './wallet.ts';
import { isOver, wordsFor } from './words.ts';

const byId = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E;
const input = (id: string): HTMLInputElement => byId<HTMLInputElement>(id);

const VIEWS = ['enter', 'code', 'name', 'wallet', 'phrase', 'import'] as const;
const FOCUSED = { enter: 'h1', code: 'input', name: 'input', wallet: 'h1', phrase: 'h1', import: 'h1' };

const tell = (id: 'status' | 'problem', text: string): void => {
  byId(id).textContent = text;
};
const say = (text: string): void => tell('status', text);

/** Shows one view. The field to fill in takes the focus, else the heading, so that it is read out. */
function show(view: (typeof VIEWS)[number]): void {
  say('');
  tell('problem', '');
  app?.frames?.close();
  for (const id of VIEWS) byId(id).hidden = id !== view;
  byId('sign-out').hidden = view !== 'wallet';
  byId('retry').hidden = true;
  byId(view).querySelector<HTMLElement>(FOCUSED[view])?.focus();
}

let busy = false;

/** Runs one thing at a time, and says what it does and what went wrong. Buttons are not disabled: they would lose the focus. */
async function doing(what: string, work: () => Promise<void>): Promise<void> {
  if (busy) return;
  busy = true;
  document.body.classList.add('busy');
  tell('problem', '');
  say(what);
  try {
    await work();
    if (byId('status').textContent === what) say('');
  } catch (error) {
    say('');
    if (isOver(error)) show('enter');
    tell('problem', isOver(error) ? 'Your session has ended. Sign in again.' : wordsFor(error));
    byId('problem').scrollIntoView({ block: 'nearest' });
  } finally {
    busy = false;
    document.body.classList.remove('busy');
  }
}

const onClick = (target: Element, what: string, work: () => Promise<void>): void =>
  target.addEventListener('click', () => void doing(what, work));

const onSubmit = (form: Element, what: string, work: () => Promise<void>): void =>
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void doing(what, work);
  });

const formOf = (view: string): Element => byId(view).querySelector('form')!;

let app: App;
let account: WalletAccount | undefined;
let sent: SentCode | undefined;

async function showAccount(): Promise<void> {
  account = await app.account();
  byId('none').hidden = account !== undefined;
  byId('made').hidden = account === undefined;
  byId('signed').hidden = true;
  byId('address').textContent = account?.address ?? '';
  showNetwork(app.network);
}

async function showWallet(): Promise<void> {
  const [{ name }] = await Promise.all([app.person(), showAccount()]);
  byId('hello').textContent = `Hello, ${name}`;
  show('wallet');
}

async function start(): Promise<void> {
  app = await openApp((await (await fetch('settings.json')).json()) as Settings);
  byId('by-email').hidden = !app.byEmail;
  byId('by-passkey').hidden = !app.byPasskey;
  byId('or').hidden = !app.byEmail || !app.byPasskey;
  for (const id of ['import-wallet', 'show-phrase']) byId(id).hidden = app.frames === undefined;
  if (await app.session()) await showWallet();
  else show('enter');
}

/** Until the service has answered there is nothing to show but another try. */
const begin = (): Promise<void> =>
  doing('One moment…', async () => {
    try {
      await start();
    } catch (error) {
      byId('retry').hidden = false;
      throw error;
    }
  });

async function sendCode(email: string): Promise<void> {
  sent = await app.sendCode(email);
  byId('sent-to').textContent = email;
  input('otp').value = '';
}

onSubmit(byId('by-email'), 'Sending a code…', async () => {
  await sendCode(input('email').value.trim());
  show('code');
});

onSubmit(formOf('code'), 'Checking the code…', async () => {
  await app.enterWithCode(sent!, input('otp').value.replace(/\s/g, ''));
  await showWallet();
});

onClick(byId('resend'), 'Sending a code…', async () => {
  await sendCode(sent!.email);
  say('Another code is on its way.');
  input('otp').focus();
});

onClick(byId('use-passkey'), 'Follow what your browser asks…', async () => {
  await app.loginWithPasskey();
  await showWallet();
});

byId('new-passkey').addEventListener('click', () => show('name'));

onSubmit(formOf('name'), 'Follow what your browser asks…', async () => {
  await app.signUpWithPasskey(input('your-name').value.trim());
  await showWallet();
});

for (const button of document.querySelectorAll('.back')) button.addEventListener('click', () => show('enter'));

onClick(byId('make-wallet'), 'Making a wallet…', async () => {
  await app.makeWallet();
  await showAccount();
  say('Your wallet is made.');
  byId('message').focus();
});

onClick(byId('import-wallet'), 'One moment…', async () => {
  show('import');
  await app.frames!.askForPhrase(byId('import-frame'));
});

onSubmit(formOf('import'), 'Importing the wallet…', async () => {
  await app.frames!.importWallet('Harbour');
  await showWallet();
  say('Your wallet is imported.');
});

onClick(byId('show-phrase'), 'One moment…', async () => {
  show('phrase');
  await app.frames!.showPhrase(account!.walletId, byId('phrase-frame'));
});

for (const button of document.querySelectorAll('.to-wallet')) button.addEventListener('click', () => show('wallet'));

onSubmit(byId('sign'), 'Signing…', async () => {
  byId('signed').hidden = true;
  const { signature, valid } = await app.sign(account!, input('message').value);
  if (!valid) throw new Error('the signature is not by this address');
  byId('signature').textContent = signature;
  byId('signed').hidden = false;
});

onSubmit(byId('send'), 'Sending…', async () => {
  const transfer = transferOf(input('to').value, input('amount').value);
  showSend(app, transfer, await app.send(account!, transfer));
});

onClick(byId('copy'), '', async () => {
  await navigator.clipboard.writeText(account!.address);
  say('The address is copied.');
});

onClick(byId('sign-out'), 'Signing out…', async () => {
  await app.signOut();
  show('enter');
});

byId('retry').addEventListener('click', () => void begin());

void begin();
