/**
 * `npm run failover`: two processes sign, send and change things on two PostgreSQL servers with synchronous replication. The primary
 * ends again and again, and its standby is promoted. Checks that nothing acknowledged is lost or doubled. Exits 1 if a check failed.
 */
import { parseArgs } from 'node:util';
import type { End } from '../tests/operating/failover/servers.ts';
import { type Failover, startFailovers } from '../tests/operating/failover/world.ts';

const HELP = `usage: npm run failover -- [--promotions=20] [--sends=200] [--seed=1] [--json]

Starts two throw-away PostgreSQL servers, two processes that are given both, and anvil as the chain. Every commit
waits for the standby. The primary is killed, frozen or stopped in turn. The standby is promoted, and the server that
ended is its standby.

  --promotions  how many.
  --sends       the fewest sends.
  --seed        of the moments.
  --json        the figures as JSON.

example: npm run failover -- --promotions=3 --seed=7
`;

const WAYS: readonly End[] = ['killed', 'frozen', 'stopped'];

const { values } = parseArgs({
  options: {
    promotions: { type: 'string', default: '20' },
    sends: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const seconds = (ms: number) => (ms / 1000).toFixed(1);

async function main(): Promise<void> {
  const given = [values.promotions, values.sends, values.seed].map(Number);
  if (!given.every((one) => Number.isSafeInteger(one) && one >= 0)) throw new Error('each option is a whole number');
  const [promotions, sends, seed] = given as [number, number, number];
  const world = await startFailovers(seed);
  try {
    const all: Failover[] = [];
    for (let i = 0; i < promotions; i++) {
      const one = await world.failover(WAYS[i % WAYS.length]!);
      all.push(one);
      const signed = one.signedMs.map(seconds).join(' and ');
      say(
        `${i + 1}/${promotions} ${one.how}: promoted after ${seconds(one.promotedMs)} s, signed after ${signed} s, a send landed after ${seconds(one.landedMs)} s`,
      );
    }
    const settled = await world.settled(sends);
    say(
      `${settled.sends} sends and ${settled.others} other activities: none lost, none doubled; ${settled.unavailable} answers of 503`,
    );
    say(`the longest request took ${seconds(settled.longestMs)} s`);
    if (values.json) process.stdout.write(`${JSON.stringify({ seed, promotions: all, ...settled })}\n`);
  } finally {
    await world.stop();
  }
}

if (values.help) say(HELP);
else await main();
