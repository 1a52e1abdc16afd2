/** A sender in memory with one fault, which a schedule must find. A crash keeps `rows` and `nonces`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, keccak256 } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Chain } from './chain.ts';
import type { Mark, Order } from './model.ts';
import type { Subject } from './run.ts';

/**
 * - `signs anew`: notes a send only when the node answered, and takes a new nonce for a send without a note.
 * - `keeps no bytes`: takes a nonce, and forgets it in a crash. `answers first`: acknowledges before it stores.
 * - `gives up`: calls a send failed if its receipt is not there immediately. `hopes`: calls a send included that it sent.
 * - `knows no body`: the same body is a new send. `does not look back`: leaves sends that were pending at a crash.
 * - `does not answer`: one of its clients, ever. `ends by itself`: as a process does that was not killed.
 */
export const FAULTS = [
  'signs anew',
  'keeps no bytes',
  'answers first',
  'gives up',
  'hopes',
  'knows no body',
  'does not look back',
  'does not answer',
  'ends by itself',
] as const;
export type Fault = (typeof FAULTS)[number];

type Row = {
  sendId: string;
  body: string;
  from: Hex;
  calls: Mark[];
  state: 'INITIALIZED' | 'BROADCASTING' | 'INCLUDED' | 'FAILED';
  nonce?: number;
  signed?: Hex;
  hash: string;
  error: string;
};

/** A request that failed on its way is made again. */
async function answerOf<T>(ask: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 1) throw error;
    await sleep(100);
    return answerOf(ask, tries - 1);
  }
}

/** Never resolves: the waiting process died. */
const forever = () => new Promise<never>(() => {});

export function toy(chain: Chain, fault: Fault | undefined): Subject {
  const keys = new Map<Hex, PrivateKeyAccount>();
  const rows: Row[] = [];
  const nonces = new Map<Hex, number>();
  let life = 1;
  let armed: { point: string; nth: number } | undefined;
  let [dead, die] = [Promise.resolve(true), (_killed: boolean) => {}];

  function begin(): void {
    ({ promise: dead, resolve: die } = Promise.withResolvers<boolean>());
  }
  begin();

  function end(killed: boolean): void {
    life++;
    die(killed);
  }
  const kill = () => end(true);

  /** Goes on if the process that came here still lives. */
  async function at(point: string, born: number): Promise<void> {
    if (born === life && armed?.point === point && --armed.nth === 0) kill();
    if (born !== life) await forever();
  }

  async function sign(row: Row, born: number): Promise<void> {
    await at('before allocate', born);
    const nonce = nonces.get(row.from) ?? 0;
    if (fault === 'keeps no bytes') nonces.set(row.from, nonce + 1);
    await at('after allocate', born);
    await at('before sign', born);
    const [call] = row.calls;
    const fees = { gas: 200_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
    const signed = await keys
      .get(row.from)!
      .signTransaction({ type: 'eip1559', chainId: 31337, ...(call as Mark & { to: Hex }), ...fees, nonce });
    await at('after sign', born);
    await at('before store-signature', born);
    Object.assign(row, { nonce, signed, hash: keccak256(signed) });
    nonces.set(row.from, nonce + 1);
    await at('after store-signature', born);
  }

  async function broadcast(row: Row, born: number): Promise<void> {
    await at('before note-sent', born);
    if (fault !== 'signs anew') row.state = 'BROADCASTING';
    await at('after note-sent', born);
    await at('before broadcast', born);
    // The node may know a transaction of the life before while its answer is still on the way.
    await answerOf(() =>
      chain.ask('eth_sendRawTransaction', row.signed).catch((error: Error) => {
        if (!/already|nonce too low/.test(error.message)) throw error;
      }),
    );
    if (fault === 'ends by itself') end(false);
    await at('after broadcast', born);
    row.state = fault === 'hopes' ? 'INCLUDED' : 'BROADCASTING';
  }

  async function confirm(row: Row, born: number): Promise<void> {
    while (row.state === 'BROADCASTING') {
      await at('before receipt', born);
      const receipt = await answerOf(() => chain.ask<{ status: Hex } | null>('eth_getTransactionReceipt', row.hash));
      if (born !== life) await forever();
      if (receipt) Object.assign(row, { state: 'INCLUDED', error: receipt.status === '0x1' ? '' : 'reverted' });
      else if (fault === 'gives up') Object.assign(row, { state: 'FAILED', error: 'no receipt' });
      await at('after receipt', born);
      await sleep(10);
    }
  }

  const lanes = new Map<Hex, Promise<void>>();

  async function work(row: Row, born: number): Promise<void> {
    if (row.signed === undefined) await sign(row, born);
    else if (fault === 'signs anew' && row.state === 'INITIALIZED') await sign(row, born);
    if (row.state !== 'INCLUDED') await broadcast(row, born);
    void confirm(row, born).catch(() => {});
  }

  /** One after the other, for each account. */
  function enqueue(row: Row): void {
    const born = life;
    lanes.set(
      row.from,
      (lanes.get(row.from) ?? Promise.resolve()).then(() => work(row, born).catch(() => {})),
    );
  }

  async function accepted(body: string, born: number): Promise<Row> {
    await at('before store', born);
    const known = fault === 'knows no body' ? undefined : rows.find((row) => row.body === body);
    if (known) return known;
    const { from, calls, number } = JSON.parse(body) as { from: Hex; calls: Mark[]; number: number };
    if (fault === 'does not answer' && number === 0) await forever();
    const made = calls.map((call) => ({ ...call, value: BigInt(call.value) }));
    const row: Row = { sendId: `${number}-${rows.length}`, body, from, calls: made, state: 'INITIALIZED', hash: '', error: '' };
    const store = () => {
      rows.push(row);
      enqueue(row);
    };
    if (fault === 'answers first') void at('after store', born).then(() => setTimeout(() => born === life && store(), 5));
    else {
      store();
      await at('after store', born);
    }
    return row;
  }

  /** The client of a process that dies gets no answer. */
  async function answered<T>(work: (born: number) => Promise<T>): Promise<T | 'cut off'> {
    return Promise.race([work(life), dead.then(() => 'cut off' as const)]);
  }

  return {
    async accounts(count) {
      return Array.from({ length: count }, () => {
        const account = privateKeyToAccount(generatePrivateKey());
        const address = account.address.toLowerCase() as Hex;
        keys.set(address, account);
        return address;
      });
    },
    async requestOf({ number }: Order, from, marks) {
      return {
        path: '',
        body: JSON.stringify({ number, from, calls: marks.map((mark) => ({ ...mark, value: String(mark.value) })) }),
      };
    },
    send: ({ body }) =>
      answered(async (born) => {
        const { sendId } = await accepted(body, born);
        return { ack: { activityId: sendId, sendId } };
      }),
    changeOf: () => ({ path: '', body: '' }),
    change: async () => 'cut off',
    look: (sendId) =>
      answered(async () => {
        const { state: status = 'INITIALIZED', hash = '', error = '' } = rows.find((row) => row.sendId === sendId) ?? {};
        return { status, hash, error };
      }),
    stored: async () =>
      rows.map(({ sendId, calls }) => ({ activityId: sendId, sendId, intent: calls.map(({ to, data }) => to + data).join() })),
    arm: (crash) => {
      armed = crash && { ...crash };
    },
    async start() {
      begin();
      lanes.clear();
      if (fault === 'does not look back') return;
      for (const row of rows) if (row.state !== 'INCLUDED' && row.state !== 'FAILED') enqueue(row);
    },
    kill,
    dead: () => dead,
  };
}
