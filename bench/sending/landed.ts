/** How fast a burst from one account lands, beside transactions that are signed already. */
import { type Chain, signedTransfers, startChain, unstuck } from './chain.ts';
import { median, type Options, on } from './common.ts';
import { cpuOf } from './service.ts';
import { GIVEN, RECIPIENT } from './workloads.ts';

/** Rates per second, from the first request until the last one is in a block. CPU in microseconds for each. */
export type Landed = {
  what: string;
  blockTime: number | undefined;
  accepted?: number;
  landed: number;
  blocks: number;
  serviceCpu?: number;
  nodeCpu: number;
  /** Relative to anvil alone with transactions signed before: one after the other, and several together. */
  ratios?: number[];
};

/** Throws unless each of the transfers landed, and each once: their values are 1, 2, 3, … wei. */
async function requireEach(chain: Chain, from: string, count: number, before: bigint): Promise<void> {
  const used = await chain.nonce(from);
  if (used !== count) throw new Error(`${used} nonces were used for ${count} transfers`);
  const received = (await chain.balance(RECIPIENT)) - before;
  const expected = (BigInt(count) * BigInt(count + 1)) / 2n;
  if (received !== expected) throw new Error(`${received} wei arrived, not ${expected}: a transfer is missing, or landed twice`);
}

type Timed = { landed: number; blocks: number; nodeCpu: number; reminded: number };

/** `start` resolves with when it began, as Date.now() has it. */
async function timed(chain: Chain, from: string, count: number, start: () => Promise<number>): Promise<Timed> {
  const [before, block, cpu] = [await chain.balance(RECIPIENT), await chain.block(), cpuOf(chain.pid)];
  const began = start();
  const reminded = chain.untilNonce(from, count).then((times) => ({ times, at: performance.timeOrigin + performance.now() }));
  const [startedAt, { times, at: endedAt }] = await Promise.all([began, reminded]);
  await requireEach(chain, from, count, before);
  return {
    landed: count / ((endedAt - startedAt) / 1000),
    blocks: (await chain.block()) - block,
    nodeCpu: ((cpuOf(chain.pid) - cpu) / count) * 1e6,
    reminded: times,
  };
}

/** Anvil alone, with transactions signed before. */
async function anvilAlone(count: number, blockTime: number | undefined, connections: number): Promise<Timed> {
  const chain = await startChain(blockTime);
  try {
    const { address, transactions } = await signedTransfers(RECIPIENT, count);
    await chain.fund(address);
    return await timed(chain, address, count, async () => {
      const startedAt = performance.timeOrigin + performance.now();
      await chain.send(transactions, connections);
      return startedAt;
    });
  } finally {
    await chain.stop();
  }
}

type Burst = Timed & { accepted: number; serviceCpu: number };

function burst(options: Options, blockTime: number | undefined): Promise<Burst> {
  return on(options, blockTime, async (service, chain) => {
    // Compiled code as in a service that has run for a while.
    const first = await service.newSender();
    await service.load(first, { workload: GIVEN, connections: 32, count: 500 });
    await chain.untilNonce(first, 500);
    const from = await service.newSender();
    const cpu = service.cpu();
    let accepted = 0;
    const figures = await timed(chain, from, options.burst, async () => {
      const measured = await service.load(from, { workload: GIVEN, connections: 32, count: options.burst });
      accepted = measured.requestsPerSecond;
      return measured.startedAt;
    });
    return { ...figures, accepted, serviceCpu: ((service.cpu() - cpu) / options.burst) * 1e6 };
  });
}

const ALONE: readonly [connections: number, what: string][] = [
  [1, 'signed before, one after the other'],
  [16, 'signed before, 16 at once'],
];

/** `blockTime`: seconds; without, each transaction is mined as it comes. */
export async function measureLanded(options: Options, blockTime: number | undefined): Promise<Landed[]> {
  const alone = new Map<string, Timed[]>(ALONE.map(([, what]) => [what, []]));
  const bursts: Burst[] = [];
  const rounds = blockTime === undefined ? options.rounds : 1;
  for (let round = 0; round < rounds; round++) {
    for (const [connections, what] of ALONE) {
      const figure = await unstuck(options.say, () => anvilAlone(options.burst, blockTime, connections));
      options.say(`${what}, ${JSON.stringify(figure)}`);
      alone.get(what)!.push(figure);
    }
    const figure = await burst(options, blockTime);
    options.say(`burst, ${JSON.stringify(figure)}`);
    bursts.push(figure);
  }
  const middle = (rows: readonly Timed[]) => ({
    landed: median(rows, (one) => one.landed),
    blocks: median(rows, (one) => one.blocks),
    nodeCpu: median(rows, (one) => one.nodeCpu),
  });
  const rows: Landed[] = [...alone].map(([what, timings]) => ({ what, blockTime, ...middle(timings) }));
  const accepted = median(bursts, (one) => one.accepted);
  const ours = middle(bursts);
  const serviceCpu = median(bursts, (one) => one.serviceCpu);
  const ratios = rows.map(({ landed }) => ours.landed / landed);
  return [...rows, { what: 'eth_send_transaction', blockTime, accepted, ...ours, serviceCpu, ratios }];
}
