/** Many schedules, one after the other, on one service and one chain. */
import { type Chain, startChain } from './chain.ts';
import { violations } from './check.ts';
import type { Schedule } from './model.ts';
import { run } from './run.ts';
import { type SolanaChain, startSolanaChain } from './solana-chain.ts';
import { type ServiceSubject, startSubject } from './subject.ts';
import { type Endpoints, startEndpoints, troublesOf } from './troubles.ts';

export type Tried = {
  seed: number;
  trouble?: string;
  crashed: string[];
  planned: string[];
  sends: number;
  found: string[];
  milliseconds: number;
};

type Database = { url: string; drop(): Promise<void> } | undefined;

export type World = { chain: Chain; solana: SolanaChain; endpoints: Endpoints; subject: ServiceSubject; stop(): Promise<void> };

export async function startWorld(database: Database, two = false): Promise<World> {
  const chain = await startChain();
  const solana = await startSolanaChain();
  const endpoints = await startEndpoints(chain);
  let subject: ServiceSubject | undefined;
  async function stop(): Promise<void> {
    await subject?.stop();
    await endpoints.stop();
    await chain.stop();
    await solana.stop();
    await database?.drop();
  }
  const env = { RPC_URL_EIP155_31337: endpoints.urls, RPC_URL_SOLANA_DEVNET: solana.node.url, GAS_PRICES_USD: 'eip155:31337=1' };
  try {
    subject = await startSubject({ databaseUrl: database?.url, env, two });
    await chain.fund(await subject.sponsors());
    return { chain, solana, endpoints, subject, stop };
  } catch (error) {
    // Open servers would keep the file from ending.
    await stop();
    throw error;
  }
}

const nameOf = (crash: Schedule['crashes'][number]) => ('point' in crash ? crash.point : 'random moment');

/** The guards refused a change that the table of decision 0043 does not have. */
const ILLEGAL = /illegal transition[^"\n]*/;

/** Runs a schedule, and returns the conditions that do not hold after it. */
export async function trySchedule({ chain, solana, endpoints, subject }: World, schedule: Schedule): Promise<Tried> {
  const { seed, trouble, crashes, orders } = schedule;
  const told = { seed, ...(trouble ? { trouble } : {}), planned: crashes.map(nameOf), sends: orders.length };
  const started = performance.now();
  try {
    const options = trouble ? { troubles: (fell: () => void) => troublesOf(schedule, chain, endpoints, fell) } : {};
    const { outcome, crashed, milliseconds } = await run(subject, schedule.network === 'evm' ? chain : solana, schedule, options);
    const found = violations(outcome);
    const wrong = outcome.tracked.filter(
      ({ order, acks }) => acks.length > 0 && found.some((each) => each.startsWith(`send ${order.number} `)),
    );
    const illegal = subject.output().match(ILLEGAL);
    if (illegal) found.push(illegal[0]);
    if (wrong.length > 0) found.push(...(await subject.rowsOf(wrong.slice(0, 3).map(({ acks }) => acks[0]!.sendId))));
    return { ...told, crashed, milliseconds, found };
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const output = subject.output().slice(-4000);
    // Leaves the chain ready for the next schedule.
    await subject.start().catch(() => {});
    return { ...told, crashed: [], milliseconds: performance.now() - started, found: [`${said}\n${output}`] };
  }
}
