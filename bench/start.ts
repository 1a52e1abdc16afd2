/** The cost of a start with many wallets, beside one with none. Their sealed keys are random bytes, which no start may open. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './cpu.ts';
import { fillWallets } from './growth-data.ts';
import { freshFolder, startOn } from './servers.ts';
import { readCredentials } from './stamp.ts';

export type StartFigures = {
  operation: 'start';
  engine: 'sqlite' | 'postgres';
  wallets: number;
  /** Processor time until it is ready, in seconds: the median of some starts. */
  seconds: number;
  /** Secrets that the start opened. */
  opened: number;
  node: string;
};

/** What must hold: with all wallets, a start takes less than this, and opens no more secrets than with none. */
const MOST_SECONDS = 2;
const WALLETS = 100_000;
const STARTS = 5;
const COUNT = fileURLToPath(new URL('count-opened.mjs', import.meta.url));

type Options = {
  program: string;
  engine: StartFigures['engine'];
  quick: boolean;
  database(): Promise<string | undefined>;
  say(text: string): void;
};

export async function measureStart({ program, engine, quick, database, say }: Options): Promise<StartFigures[]> {
  const { folder, remove } = freshFolder();
  const databaseUrl = await database();
  const counted = join(folder, 'opened');

  async function start(more: Record<string, string> = {}): Promise<number> {
    const service = await startOn(folder, databaseUrl, program, more);
    const seconds = cpuSeconds([service.pid]) ?? Number.NaN;
    await service.stop();
    return seconds;
  }

  async function measured(wallets: number): Promise<StartFigures> {
    const taken: number[] = [];
    for (let i = 0; i < STARTS; i++) taken.push(await start());
    await start({ NODE_OPTIONS: `--import=${COUNT}`, COUNT_OPENED: counted });
    const seconds = taken.toSorted((a, b) => a - b)[STARTS >> 1]!;
    return { operation: 'start', engine, wallets, seconds, opened: Number(readFileSync(counted, 'utf8')), node: process.version };
  }

  try {
    await start();
    const none = await measured(0);
    const wallets = quick ? WALLETS / 100 : WALLETS;
    say(`filling: ${wallets} wallets`);
    const { organizationId } = readCredentials(join(folder, 'root-credentials.json'));
    await fillWallets({ folder, databaseUrl }, organizationId, wallets, say);
    return [none, await measured(wallets)];
  } finally {
    remove();
  }
}

export function startTable(figures: readonly StartFigures[]): string {
  const [none, many] = figures as [StartFigures, StartFigures];
  const holds = many.seconds < MOST_SECONDS && many.opened === none.opened;
  if (!holds) process.exitCode = 1;
  return [
    `A start (${many.engine}): processor time until it is ready, and secrets that it opens`,
    '',
    ...figures.map(
      ({ wallets, seconds, opened }) => `${String(wallets).padStart(7)} wallets  ${seconds.toFixed(2)} s  ${opened}`,
    ),
    '',
    `${holds ? 'holds' : 'FAILS'}: under ${MOST_SECONDS} s, and no wallet's secret is opened`,
  ].join('\n');
}
