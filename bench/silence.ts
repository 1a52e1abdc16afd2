/**
 * `npm run silence`: two processes send, sign and change things, while their connections to one PostgreSQL fall silent at random moments.
 * Checks that work goes on, and that nothing is lost or doubled. Exits 1 if a check failed.
 */
import { parseArgs } from 'node:util';
import { startSilences } from '../tests/operating/silence/world.ts';
import { startPostgres } from '../tests/support/postgres.ts';

const HELP = `usage: npm run silence -- [--moments=50] [--sends=200] [--seed=1] [--statement-seconds=1]

Starts two processes on a throw-away PostgreSQL behind a proxy, with anvil as the chain. At each
moment the proxy makes all connections silent: nothing is closed, and nothing arrives any more. New connections work.

  --moments  how many.
  --sends    the fewest sends.
  --seed     of the moments.
  --statement-seconds  DATABASE_STATEMENT_SECONDS of both: 1 notices silence soon. The service's default is 8.
`;

const { values } = parseArgs({
  options: {
    moments: { type: 'string', default: '50' },
    sends: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'statement-seconds': { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const given = [values.moments, values.sends, values.seed, values['statement-seconds']].map(Number);
const [moments, sends, seed, statementSeconds] = given as [number, number, number, number];
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  if (!given.every((one) => Number.isSafeInteger(one) && one >= 0)) throw new Error('each option is a whole number');
  const server = await startPostgres();
  if ('unavailable' in server) throw new Error(`no PostgreSQL: ${server.unavailable}`);
  try {
    const silences = await startSilences(
      { url: await server.createDatabase(), drop: async () => {} },
      { seed, statementSeconds },
    );
    try {
      for (let i = 1; i <= moments; i++) {
        const { how, sendingMs, ready } = await silences.moment();
        say(`${i}/${moments} ${how}: a send landed after ${Math.round(sendingMs)} ms; /ready said: ${ready.join('; ')}`);
      }
      const { unavailable, longestMs, ...done } = await silences.settled(sends);
      say(`${done.sends} sends and ${done.others} other activities, each once; ${unavailable} answers of 503`);
      say(`the longest request took ${Math.round(longestMs)} ms`);
    } finally {
      await silences.stop();
    }
  } finally {
    await server.stop();
  }
}

if (values.help) say(HELP);
else await main();
