import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { COIN_DECIMALS } from '../../model/gas.ts';
import type { Send, SendChange, SendState } from '../../model/send.ts';
import type { SendNews } from '../../model/send-news.ts';

/** Seconds: from chains with two blocks a second to chains that are busy for an hour. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

/** Labels are networks, never organizations or accounts: there are few. */
export const sendFamilies = (registers: Registry[]) => ({
  events: new Counter({
    name: 'countersign_sends_total',
    help: 'Events of sends, by network',
    labelNames: ['network', 'event'],
    registers,
  }),
  seconds: new Histogram({
    name: 'countersign_send_seconds',
    help: 'Time from the acceptance of a send until its first broadcast, or until it is mined, by network',
    labelNames: ['network', 'until'],
    buckets: SECONDS,
    registers,
  }),
  broadcasts: new Counter({
    name: 'countersign_broadcasts_total',
    help: 'Broadcasts of transactions to the endpoints of a network, by outcome',
    labelNames: ['network', 'outcome'],
    registers,
  }),
  rpcErrors: new Counter({
    name: 'countersign_rpc_errors_total',
    help: 'Requests that an RPC endpoint did not answer, by network, endpoint and kind of trouble',
    labelNames: ['network', 'endpoint', 'trouble'],
    registers,
  }),
  gas: new Counter({
    name: 'countersign_sponsored_gas_micro_usd_total',
    help: 'Cost of mined sponsored sends, by network, in millionths of a USD',
    labelNames: ['network'],
    registers,
  }),
  noops: new Counter({
    name: 'countersign_paymaster_noop_coins_total',
    help: 'Cost of mined transactions of the paymaster that only use a nonce, by network and purpose, in coins',
    labelNames: ['network', 'purpose'],
    registers,
  }),
  open: new Gauge({
    name: 'countersign_sends_open',
    help: 'Sends that are not final, by network and state, up to 10000',
    labelNames: ['network', 'state'],
    registers,
  }),
  oldest: new Gauge({
    name: 'countersign_sends_oldest_seconds',
    help: 'Time since the acceptance of the oldest send that is not final, by network and state',
    labelNames: ['network', 'state'],
    registers,
  }),
  paymaster: new Gauge({
    name: 'countersign_paymaster_coins',
    help: 'Balance of the paymaster, in coins of the network',
    labelNames: ['network'],
    registers,
  }),
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
    for (const event of EVENTS_OF_SENDS) events.inc({ network, event }, 0);
    gas.inc({ network }, 0);
    for (const purpose of Object.values(PURPOSES)) noops.inc({ network, purpose }, 0);
  }
}

const PURPOSES = { way: 'made way', gap: 'gap filled' };

/** Only EVM networks have such transactions. */
const coinsOf = (wei: bigint): number => Number(wei) / 10 ** COIN_DECIMALS.eip155;

/** Counts the changes of one transaction, after its commit. */
export function countSends({ events, seconds, gas, noops }: SendFamilies, { accepted, changed, attempts, cost }: SendNews): void {
  for (const { caip2 } of accepted) events.inc({ network: caip2, event: 'accepted' });
  const networks = new Map<string, string>();
  for (const { seen, change, at } of changed) {
    const { id, caip2: network, createdAt, state } = seen;
    networks.set(id, network);
    const happened = eventsOf(seen, change);
    for (const event of happened) events.inc({ network, event });
    if (happened.includes('broadcast')) seconds.observe({ network, until: 'broadcast' }, (at - createdAt) / 1000);
    if (isInBlock(change.state) && !isInBlock(state)) seconds.observe({ network, until: 'inclusion' }, (at - createdAt) / 1000);
    if (seen.sponsored && change.spent !== undefined)
      noops.inc({ network, purpose: PURPOSES.way }, coinsOf(BigInt(change.spent) - BigInt(seen.spent)));
    // On Solana the cost is known once the send is final.
    if (seen.sponsored && (isInBlock(change.state) || change.state === 'failed')) gas.inc({ network }, cost.get(id) ?? 0);
  }
  for (const { sendId, purpose, number } of attempts) {
    const network = networks.get(sendId);
    if (network !== undefined && (purpose !== 'send' || number > 1)) events.inc({ network, event: ATTEMPTS[purpose] });
  }
}

export const nodeCounts = ({ broadcasts, rpcErrors }: Pick<SendFamilies, 'broadcasts' | 'rpcErrors'>) => ({
  broadcast: (network: string, outcome: string): void => broadcasts.inc({ network, outcome }),
  trouble: (network: string, endpoint: string, trouble: string): void => rpcErrors.inc({ network, endpoint, trouble }),
});

export const laneCounts = ({ noops }: Pick<SendFamilies, 'noops'>) => ({
  gapsFilled: (network: string, wei: bigint): void => noops.inc({ network, purpose: PURPOSES.gap }, coinsOf(wei)),
});
