/**
 * What a scanned block costs, as `--only=scan`. A node of its own process serves made-up blocks of 300 transactions to the service, which
 * watches 10,000 addresses. Half of the transactions pay a configured token.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plainSql } from '../../tests/support/database.ts';
import { cpuSeconds, mainSeconds } from '../cpu.ts';
import { median } from '../sending/windows.ts';
import { freshFolder, startOn } from '../servers.ts';
import { addressOf, CHAIN_ID, OURS, TOKEN, TRANSACTIONS, WATCHED } from './chain.ts';

export type ScanFigures = {
  operation: 'a scanned block';
  watched: number;
  transactions: number;
  /** Milliseconds of processor time of a block, by all threads and by the main thread: medians of the rounds. */
  milliseconds: { all: number; main: number };
  blocksPerSecond: number;
  node: string;
};

type Options = {
  program: string;
  quick: boolean;
  rounds: number;
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

const MOST_MS = 50;
const CAIP2 = `eip155:${CHAIN_ID}`;
const REST_MS = 3_000;
/** Until V8 optimises no more. */
const WARM = 100;
const SCANNED_WITHIN_MS = 60_000;

/** Rows as accounts of wallets have them, all of one organization. */
const FILL = {
  sqlite: `INSERT INTO signers (organization_id, parent_id, address, format, key_id, wallet_id, curve, disabled, position)
    SELECT o.id, NULL, a.value, 'ADDRESS_FORMAT_ETHEREUM', randomblob(16), randomblob(16), 'CURVE_SECP256K1', 0, 0
    FROM organizations o, json_each($1) a`,
  postgres: `INSERT INTO signers (organization_id, parent_id, address, format, key_id, wallet_id, curve, disabled, position)
    SELECT o.id, NULL, a.value, 'ADDRESS_FORMAT_ETHEREUM', gen_random_uuid(), gen_random_uuid(), 'CURVE_SECP256K1', false, 0
    FROM organizations o, json_array_elements_text($1::json) a`,
};

async function startNode(blocks: number) {
  const program = fileURLToPath(new URL('node.ts', import.meta.url));
  const child = spawn(process.execPath, [program, String(blocks)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const said = async () => (await once(lines, 'line', { signal: AbortSignal.timeout(SCANNED_WITHIN_MS) }))[0] as string;
  return {
    url: `http://127.0.0.1:${await said()}`,
    /** Resolves when the service has scanned them. */
    async mine(count: number) {
      const scanned = said();
      child.stdin.write(`${count}\n`);
      await scanned;
    },
    stop: () => void child.stdin.end(),
  };
}

export async function measureScan({ program, quick, rounds, databaseUrl, say }: Options): Promise<ScanFigures> {
  const blocks = quick ? 50 : 200;
  const node = await startNode(WARM + rounds * blocks);
  const { folder, remove } = freshFolder();
  try {
    const tokens = join(folder, 'tokens.json');
    writeFileSync(tokens, JSON.stringify([{ caip19: `${CAIP2}/erc20:${TOKEN}`, symbol: 'HELD', name: 'Held', decimals: 6 }]));
    const env = {
      ...{ [`RPC_URL_${CAIP2.toUpperCase().replace(':', '_')}`]: node.url, SCAN: CAIP2, TOKENS: tokens, LOG_LEVEL: 'warn' },
      ...{ SEND_FINALITY_BLOCKS: '5' },
    };
    const url = await databaseUrl();
    const { pid, stop } = await startOn(folder, url, program, env);
    try {
      const place = { folder, url };
      const addresses = Array.from({ length: WATCHED }, (_, i) => addressOf(i));
      await plainSql(place, FILL[url === undefined ? 'sqlite' : 'postgres'], [JSON.stringify(addresses)]);
      await node.mine(WARM);
      say(`${WATCHED} watched addresses, ${WARM} blocks to warm up`);
      const used = async (work: () => Promise<unknown>) => {
        const [all, main, began] = [cpuSeconds([pid])!, mainSeconds(pid), performance.now()];
        await work();
        return { all: cpuSeconds([pid])! - all, main: mainSeconds(pid) - main, seconds: (performance.now() - began) / 1000 };
      };
      const rest = await used(() => sleep(REST_MS));
      const measured: { all: number; main: number; perSecond: number }[] = [];
      for (let round = 1; round <= rounds; round++) {
        const { all, main, seconds } = await used(() => node.mine(blocks));
        const ofOne = (busy: number, idle: number) => ((busy - (idle / rest.seconds) * seconds) / blocks) * 1000;
        measured.push({ all: ofOne(all, rest.all), main: ofOne(main, rest.main), perSecond: blocks / seconds });
        say(`round ${round}: ${measured.at(-1)!.all.toFixed(1)} ms a block, ${measured.at(-1)!.perSecond.toFixed(0)} blocks/s`);
      }
      const [seen] = await plainSql(place, 'SELECT count(*) AS n FROM scanned_transactions');
      const expected = (WARM + rounds * blocks) * OURS;
      if (Number(seen!.n) !== expected) throw new Error(`${seen!.n} transfers were seen, and not ${expected}`);
      return {
        ...({ operation: 'a scanned block', watched: WATCHED, transactions: TRANSACTIONS, node: process.version } as const),
        milliseconds: { all: median(measured.map(({ all }) => all)), main: median(measured.map(({ main }) => main)) },
        blocksPerSecond: median(measured.map(({ perSecond }) => perSecond)),
      };
    } finally {
      await stop();
    }
  } finally {
    node.stop();
    remove();
  }
}

export function scanTable({ watched, transactions, milliseconds: { all, main }, blocksPerSecond }: ScanFigures): string {
  const holds = all < MOST_MS;
  if (!holds) process.exitCode = 1;
  return [
    `Scanned blocks of ${transactions} transactions, ${watched} watched addresses, medians`,
    '',
    `  processor time of a block: ${all.toFixed(1)} ms, of which the main thread ${main.toFixed(1)} ms; ${blocksPerSecond.toFixed(0)} blocks/s`,
    '',
    `${holds ? 'holds' : 'FAILS'}: less than ${MOST_MS} ms of processor time a block`,
  ].join('\n');
}
