/** What the page shows of sending: the form, and what became of what was sent. */
import { formatEther, isAddress, parseEther } from 'viem';
import type { App, Network, SendStatus, Transfer } from './wallet.ts';
import { InWords, isOver, wordsFor } from './words.ts';

const byId = (id: string): HTMLElement => document.getElementById(id)!;

export function showNetwork(network: Network | undefined): void {
  byId('send').hidden = network === undefined;
  byId('sends').replaceChildren();
  if (network === undefined) return;
  byId('network').textContent = network.name;
  byId('symbol').textContent = network.symbol;
  byId('about-fee').textContent = network.sponsored ? 'The fee is paid for you.' : 'The fee is taken from your wallet too.';
}

/** What was typed. Throws what to put right. */
export function transferOf(to: string, amount: string): Transfer {
  const address = to.trim();
  if (!isAddress(address)) throw new InWords('"To" is no address: one starts with 0x and has 40 letters and digits after it.');
  const number = amount.trim().replace(',', '.');
  if (!/^\d{1,20}(\.\d{1,18})?$/.test(number)) throw new InWords('The amount must be a number like 0.001.');
  return { to: address, value: parseEther(number) };
}

const STATES: Readonly<Record<SendStatus['state'], string>> = {
  INITIALIZED: 'Accepted',
  BROADCASTING: 'On its way',
  INCLUDED: 'In a block',
  FAILED: 'Failed',
};

const short = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`;

/** Shown at once. */
const MOST = 5;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 4000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Shows one send, and how it goes on until it ends. It goes on without the page too. */
export function showSend(app: App, { to, value }: Transfer, id: string): void {
  const template = byId('sent') as HTMLTemplateElement;
  const item = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  const part = (name: string): HTMLElement => item.querySelector(name)!;
  const { symbol, explorer } = app.network!;
  part('.what').textContent = `${formatEther(value)} ${symbol} to ${short(to)}`;
  byId('sends').prepend(item);
  byId('sends').children[MOST]?.remove();

  function show({ state, hash = '', problem }: SendStatus): void {
    const reverted = state === 'INCLUDED' && problem !== undefined;
    item.dataset.state = reverted ? 'FAILED' : state;
    const words = reverted ? 'In a block, but it failed there' : STATES[state];
    if (part('.state').textContent !== words) part('.state').textContent = words;
    part('.why').textContent = problem === undefined ? '' : wordsFor(new Error(problem));
    part('.hash').textContent = hash;
    const link = part('a') as HTMLAnchorElement;
    link.hidden = hash === '' || explorer === undefined;
    if (!link.hidden) link.href = `${explorer}/tx/${hash}`;
  }

  async function follow(): Promise<void> {
    for (let ms = FIRST_PAUSE_MS; item.isConnected; ms = Math.min(LONGEST_PAUSE_MS, ms * 1.3)) {
      try {
        const status = await app.sendStatus(id);
        show(status);
        if (status.state === 'INCLUDED' || status.state === 'FAILED') return;
      } catch (error) {
        part('.why').textContent = `Its status is not known now. ${wordsFor(error)}`;
        if (isOver(error)) return;
      }
      await pause(ms);
    }
  }

  show({ state: 'INITIALIZED', hash: undefined, problem: undefined });
  void follow();
}
