import { COIN_DECIMALS } from '../../model/gas.ts';
import type { Send, SendChange, SendState } from '../../model/send.ts';
import type { SendNews } from '../../model/send-news.ts';
import { counter, gauge, histogram } from './families.ts';

/** Seconds: from chains with two blocks a second to chains that are busy for an hour. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

/** Labels are networks, never organizations or accounts: there are few. */
export const sendFamilies = () => ({
  events: counter({ name: 'countersign_sends_total', help: 'Events of sends, by network' }, ['network', 'event']),
  seconds: histogram(
    {
      name: 'countersign_send_seconds',
      help: 'Time from the acceptance of a send until its first broadcast, or until it is mined, by network',
    },
    ['network', 'until'],
    SECONDS,
  ),
  broadcasts: counter(
    {
      name: 'countersign_broadcasts_total',
      help: 'Broadcasts of transactions to the endpoints of a network, by outcome',
    },
    ['network', 'outcome'],
  ),
  rpcErrors: counter(
    {
      name: 'countersign_rpc_errors_total',
      help: 'Requests that an RPC endpoint did not answer, by network, endpoint and kind of trouble',
    },
    ['network', 'endpoint', 'trouble'],
  ),
  gas: counter(
    {
      name: 'countersign_sponsored_gas_micro_usd_total',
      help: 'Cost of mined sponsored sends, by network, in millionths of a USD',
    },
    ['network'],
  ),
  noops: counter(
    {
      name: 'countersign_paymaster_noop_coins_total',
      help: 'Cost of mined transactions of the paymaster that only use a nonce, by network and purpose, in coins',
    },
    ['network', 'purpose'],
  ),
  open: gauge({ name: 'countersign_sends_open', help: 'Sends that are not final, by network and state, up to 10000' }, [
    'network',
    'state',
  ]),
  oldest: gauge(
    {
      name: 'countersign_sends_oldest_seconds',
      help: 'Time since the acceptance of the oldest send that is not final, by network and state',
    },
    ['network', 'state'],
  ),
  paymaster: gauge({ name: 'countersign_paymaster_coins', help: 'Balance of the paymaster, in coins of the network' }, [
    'network',
  ]),
});

export type SendFamilies = ReturnType<typeof sendFamilies>;

const EVENTS: Partial<Record<SendState, string>> = { signed: 'signed', sent: 'broadcast', final: 'final', failed: 'failed' };

const isInBlock = (state: SendState | undefined): boolean => state === 'included' || state === 'final';

/** No event if the state does not change. A transaction that is first seen in a final block was never `included`. */
function eventsOf({ state: before }: Send, { state, error, spent }: SendChange): string[] {
  if (state === undefined || state === before) return [];
  // With `spent`, a transaction of ours was paid for: the send made way.
  if (state === 'queued') return [spent === undefined ? 'nonce lost' : 'made way'];
  if (state === 'sent' && before === 'included') return ['block lost'];
  if (state === 'sent' && before === 'queued') return ['signed', 'broadcast'];
  const landed = isInBlock(state) && !isInBlock(before) ? [error ? 'reverted' : 'included'] : [];
  const event = EVENTS[state];
  return event === undefined ? landed : [...landed, event];
}

const ATTEMPTS = { send: 'replaced', cancel: 'cancelling', gap: 'gap filled' };

const EVENTS_OF_SENDS = [
  'accepted',
  ...Object.values(EVENTS),
  'included',
  'reverted',
  'nonce lost',
  'made way',
  'block lost',
  ...Object.values(ATTEMPTS),
];

/** Shown as 0 from the start. Prometheus sees no increase in the first value of a counter, so an alarm would miss the first event. */
export function countFromZero(
  { events, gas, noops }: Pick<SendFamilies, 'events' | 'gas' | 'noops'>,
  networks: readonly string[],
): void {
  for (const network of networks) {
    for (const event of EVENTS_OF_SENDS) events.add(0, network, event);
    gas.add(0, network);
    for (const purpose of Object.values(PURPOSES)) noops.add(0, network, purpose);
  }
}

const PURPOSES = { way: 'made way', gap: 'gap filled' };

/** Only EVM networks have such transactions. */
const coinsOf = (wei: bigint): number => Number(wei) / 10 ** COIN_DECIMALS.eip155;

/** Counts the changes of one transaction, after its commit. */
export function countSends({ events, seconds, gas, noops }: SendFamilies, { accepted, changed, attempts, cost }: SendNews): void {
  for (const { caip2 } of accepted) events.inc(caip2, 'accepted');
  const networks = new Map<string, string>();
  for (const { seen, change, at } of changed) {
    const { id, caip2, createdAt, state } = seen;
    networks.set(id, caip2);
    const happened = eventsOf(seen, change);
    for (const event of happened) events.inc(caip2, event);
    if (happened.includes('broadcast')) seconds.observe((at - createdAt) / 1000, caip2, 'broadcast');
    if (isInBlock(change.state) && !isInBlock(state)) seconds.observe((at - createdAt) / 1000, caip2, 'inclusion');
    if (seen.sponsored && change.spent !== undefined)
      noops.add(coinsOf(BigInt(change.spent) - BigInt(seen.spent)), caip2, PURPOSES.way);
    // On Solana the cost is known once the send is final.
    if (seen.sponsored && (isInBlock(change.state) || change.state === 'failed')) gas.add(cost.get(id) ?? 0, caip2);
  }
  for (const { sendId, purpose, number } of attempts) {
    const network = networks.get(sendId);
    if (network !== undefined && (purpose !== 'send' || number > 1)) events.inc(network, ATTEMPTS[purpose]);
  }
}

export const nodeCounts = ({ broadcasts, rpcErrors }: Pick<SendFamilies, 'broadcasts' | 'rpcErrors'>) => ({
  broadcast: broadcasts.inc,
  trouble: rpcErrors.inc,
});

export const laneCounts = ({ noops }: Pick<SendFamilies, 'noops'>) => ({
  gapsFilled: (caip2: string, wei: bigint): void => noops.add(coinsOf(wei), caip2, PURPOSES.gap),
});
