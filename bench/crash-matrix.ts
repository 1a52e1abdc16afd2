/**
 * `npm run crash`: runs seeded schedules of sends on the real service, and kills it at fail-points and random moments. Checks
 * chain and database after each. Exits 1 if a check failed.
 */
import { parseArgs } from 'node:util';
import { startWorld, type Tried, trySchedule, type World } from '../tests/chain-io/sends/crash/matrix.ts';
import { FAIL_POINTS, TROUBLES, type Trouble } from '../tests/chain-io/sends/crash/model.ts';
import { type Able, ALL, ableIn, SOLANA, scheduleOf } from '../tests/chain-io/sends/crash/schedule.ts';
import { type Postgres, startPostgres } from '../tests/support/postgres.ts';

const HELP = `usage: npm run crash -- [--seeds=200] [--engine=sqlite|postgres] [--from=0] [--seed=N]
                         [--network=evm|solana] [--trouble=all|NAME] [--json]

Carries out seeds 0 to 199 on a throw-away instance, with anvil as the chain. Each seed is a schedule: sends of several accounts, and where the
service is killed (kill -9). What must hold is checked after each; a seed that fails is told with the command that repeats it.

  --seeds    how many, from --from on
  --seed     this one alone
  --engine   the database: SQLite (the default) or PostgreSQL
  --network  with anvil (the default), or a Solana node over litesvm
  --trouble  the chain misbehaves meanwhile: ${TROUBLES.join(', ')}; or all in turn
  --json     the figures as JSON
`;

type Options = { seeds: number[]; engine: 'sqlite' | 'postgres'; able: Able; trouble: string | undefined; json: boolean };

function options(): Options | undefined {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '0' },
      seed: { type: 'string' },
      engine: { type: 'string', default: 'sqlite' },
      network: { type: 'string', default: 'evm' },
      trouble: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { engine, network, trouble, json, help } = values;
  if (help) return undefined;
  if (engine !== 'sqlite' && engine !== 'postgres') throw new Error(`--engine is sqlite or postgres, not ${engine}`);
  if (network !== 'evm' && network !== 'solana') throw new Error(`--network is evm or solana, not ${network}`);
  if (trouble !== undefined && network === 'solana') throw new Error('--trouble is for evm');
  if (trouble !== undefined && trouble !== 'all' && !TROUBLES.includes(trouble as Trouble))
    throw new Error(`--trouble is all, ${TROUBLES.join(', ')}, not ${trouble}`);
  const one = values.seed !== undefined;
  const [from, count] = one ? [Number(values.seed), 1] : [Number(values.from), Number(values.seeds)];
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(count) || from < 0 || count < 1)
    throw new Error('--seeds, --from and --seed are whole numbers');
  return {
    seeds: Array.from({ length: count }, (_, i) => from + i),
    engine,
    able: network === 'evm' ? ALL : SOLANA,
    trouble,
    json,
  };
}

const troubleOf = (given: string | undefined, seed: number): { trouble?: Trouble } =>
  given === undefined ? {} : { trouble: given === 'all' ? TROUBLES[seed % TROUBLES.length]! : (given as Trouble) };

const again = ({ seed, trouble }: Tried, engine: string, { network }: Able) =>
  `npm run crash -- --seed=${seed}${engine === 'sqlite' ? '' : ` --engine=${engine}`}${network === 'evm' ? '' : ` --network=${network}`}${trouble ? ` --trouble='${trouble}'` : ''}`;

function table(
  tried: readonly Tried[],
  column: string,
  names: readonly string[],
  of: (one: Tried, name: string) => number,
): string {
  const rows = names.map((name) => {
    const met = tried.filter((one) => of(one, name) > 0);
    const killed = met.reduce((sum, one) => sum + of(one, name), 0);
    const sends = met.reduce((sum, one) => sum + one.sends, 0);
    const failed = met.filter(({ found }) => found.length > 0).length;
    return `| ${name} | ${met.length} | ${killed} | ${sends} | ${failed} |`;
  });
  return [`| ${column} | Schedules | Times | Sends | Failed |`, '|---|---:|---:|---:|---:|', ...rows].join('\n');
}

const times = (names: readonly string[], name: string) => names.filter((each) => each === name).length;

async function main({ seeds, engine, able, trouble, json }: Options): Promise<void> {
  const say = (line: string) => (json ? process.stderr : process.stdout).write(`${line}\n`);
  let server: Postgres | undefined;
  if (engine === 'postgres') {
    const started = await startPostgres();
    if ('unavailable' in started) throw new Error(`no PostgreSQL: ${started.unavailable}`);
    server = started;
  }
  const open = async () => {
    const url = await server?.createDatabase();
    return startWorld(url === undefined ? undefined : { url, drop: async () => {} });
  };
  const started = performance.now();
  const tried: Tried[] = [];
  let world: World | undefined;
  try {
    for (const seed of seeds) {
      world ??= await open();
      const given = troubleOf(trouble, seed);
      const one = await trySchedule(world, { ...scheduleOf(seed, ableIn(given.trouble, able)), ...given });
      tried.push(one);
      const { found, sends, crashed, milliseconds } = one;
      const what = `${sends} sends, killed ${crashed.join(', ') || 'nowhere'}${one.trouble ? `, ${one.trouble}` : ''}`;
      say(
        `${found.length === 0 ? 'ok  ' : 'FAIL'} ${tried.length}/${seeds.length} seed ${seed}: ${what} (${Math.round(milliseconds)} ms)`,
      );
      if (found.length === 0) continue;
      for (const sentence of found) say(`     ${sentence}`);
      say(`     again: ${again(one, engine, able)}`);
      // A stuck service would be in the way of the next schedules.
      await world.stop();
      world = undefined;
    }
  } finally {
    await world?.stop();
    await server?.stop();
  }
  const failed = tried.filter(({ found }) => found.length > 0);
  if (failed.length > 0) process.exitCode = 1;
  if (json) {
    process.stdout.write(`${JSON.stringify({ engine, tried })}\n`);
    return;
  }
  say('');
  say(table(tried, 'Killed', [...FAIL_POINTS, 'random moment'], ({ crashed }, name) => times(crashed, name)));
  if (trouble) say(`\n${table(tried, 'Trouble', TROUBLES, (one, name) => Number(one.trouble === name))}`);
  const kills = tried.reduce((sum, { crashed }) => sum + crashed.length, 0);
  const sends = tried.reduce((sum, one) => sum + one.sends, 0);
  const seconds = Math.round((performance.now() - started) / 1000);
  say(`\n${tried.length} schedules on ${engine}, ${sends} sends, ${kills} kills, ${failed.length} failed (${seconds} s)`);
}

const given = options();
if (given === undefined) process.stdout.write(HELP);
else await main(given);
