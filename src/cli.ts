import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from './base/nearest.ts';
import { NotDone } from './base/not-done.ts';
import { CHAIN_HELP } from './cli/chain-help.ts';
import { type Reply, readCredentials, stampBody, UsageError } from './cli/client.ts';
import { CONFIG_HELP, QUERY_HELP, STAMP_HELP, START_HELP, SUBMIT_HELP, WHY_HELP } from './cli/client-help.ts';
import { configOf, showConfig } from './cli/config.ts';
import { ARCHIVE_HELP, CLOCK_HELP, IP_ALLOWLIST_HELP, OUTBOX_HELP, POLICY_HELP, TEMPLATES_HELP } from './cli/help.ts';
import { KEYGEN_HELP, keygen } from './cli/keygen.ts';
import type { ClientOptions } from './cli/operations.ts';
import { printable } from './cli/printable.ts';
import { SENDS_HELP } from './cli/sends-help.ts';
import { ConfigError } from './config.ts';

const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

const HELP = `Usage: countersign COMMAND

  start                          run the service with the installed packages
  config [--json]                show the effective configuration, without secrets
  submit OPERATION [PARAMETERS]  submit an activity, stamped with the root credentials
  query OPERATION [PARAMETERS]   ask a query
  why ACTIVITY_ID [--json]       explain an activity: its votes, the outcome of each policy, and why
  policy check|test FILE...      check policies and run their test cases, without a service: see policy --help
  clock reset --reason TEXT      give up a wrong future of the service's time: see clock --help
  archive --before DATE          move old finished activities out of the database: see archive --help
  ip-allowlist off               let an organization in again that shut itself out: see ip-allowlist --help
  templates add|list|remove      HTML templates of mails: see templates --help
  outbox list|retry              mail and SMS that were not sent: see outbox --help
  sends list|show|cancel|…       transactions that the service sends: see sends --help
  chain show|deploy-station|…    networks that are served, contracts and coins of sponsored sends: see chain --help
  keygen NAME                    make an API key and its credentials file: see keygen --help
  stamp [BODY]                   print the X-Stamp header for a body (from standard input if left out)
  help [COMMAND]                 this text, or that of a command; COMMAND --help prints it too
  --version                      print the version

PARAMETERS is a JSON object. The answer is printed as JSON; the exit code is 1 when the service refuses.

  --credentials FILE   another file than DATA_DIR/root-credentials.json
  --url URL            another service than the one that BASE_URL or PORT names, or else that file
  --organization ID    another organization, such as a sub-organization
  --type TYPE          an older version of the activity

Examples:
  ./countersign query whoami
  ./countersign submit create_wallet '{"walletName":"Main","accounts":[]}'
  ./countersign why 0191f3c2-…         (the id is in the last entry of a refusal's details)
  ./countersign query list_activities '{"paginationOptions":{"limit":"5"}}'
`;

const HELP_OF = new Map([
  ['start', START_HELP],
  ['config', CONFIG_HELP],
  ['submit', SUBMIT_HELP],
  ['query', QUERY_HELP],
  ['why', WHY_HELP],
  ['stamp', STAMP_HELP],
  ['policy', POLICY_HELP],
  ['clock', CLOCK_HELP],
  ['keygen', KEYGEN_HELP],
  ['archive', ARCHIVE_HELP],
  ['ip-allowlist', IP_ALLOWLIST_HELP],
  ['templates', TEMPLATES_HELP],
  ['outbox', OUTBOX_HELP],
  ['sends', SENDS_HELP],
  ['chain', CHAIN_HELP],
]);

/** Without its first argument, such a command prints its help. */
const NEEDS_ACTION = new Set(['policy', 'clock', 'keygen', 'ip-allowlist', 'templates', 'outbox', 'sends', 'chain']);

/** The most arguments a command takes. More are an error, since ignoring them would hide a mistake. */
const ARGUMENTS: Readonly<Record<string, number>> = {
  start: 0,
  config: 0,
  archive: 0,
  keygen: 1,
  stamp: 1,
  why: 1,
  clock: 1,
  'ip-allowlist': 1,
  templates: 2,
  outbox: 2,
  sends: 2,
  chain: 1,
  submit: 2,
  query: 2,
};

function show(reply: Reply): number {
  let text = reply.text;
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  for (const warning of reply.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  if (reply.ignored.length > 0) process.stderr.write(`ignored unknown fields: ${reply.ignored.join(', ')}\n`);
  (reply.status < 400 ? process.stdout : process.stderr).write(`${text}\n`);
  return reply.status < 400 ? 0 : 1;
}

async function showWhy(activityId: string | undefined, options: ClientOptions & { json: boolean }): Promise<number> {
  if (activityId === undefined) throw new UsageError('name an activity: countersign why ACTIVITY_ID');
  const { why, whyText } = await import('./cli/why.ts');
  const answer = await why(activityId, options);
  if ('reply' in answer) return show(answer.reply);
  process.stdout.write(options.json ? `${JSON.stringify(answer.told, null, 2)}\n` : whyText(answer.told));
  return 0;
}

function unknownCommand(name = ''): UsageError {
  const meant = nearest(name, HELP_OF.keys());
  return new UsageError(
    `unknown command "${name}": ${meant === undefined ? '' : `did you mean ${meant}? Or `}see countersign help`,
  );
}

/** The help that is asked for, and that of a command without its action. */
function helpFor(
  command: string | undefined,
  rest: readonly string[],
  asked: boolean,
): { text: string; code: number } | undefined {
  const about = command === 'help' ? rest[0] : command;
  if (asked || command === 'help') {
    const text = about === undefined || about === 'help' ? HELP : HELP_OF.get(about);
    if (text === undefined) throw unknownCommand(about);
    return { text, code: 0 };
  }
  if (rest.length > 0 || !NEEDS_ACTION.has(command ?? '')) return undefined;
  return { text: HELP_OF.get(command!)!, code: 2 };
}

/** Commands load what they need: the operations, the policy language and the store take longer to load than most commands run. */
async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
      version: { type: 'boolean', default: false },
      credentials: { type: 'string' },
      url: { type: 'string' },
      organization: { type: 'string' },
      type: { type: 'string' },
      curve: { type: 'string' },
      force: { type: 'boolean', default: false },
      reason: { type: 'string' },
      before: { type: 'string' },
      batch: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      compact: { type: 'boolean' },
      name: { type: 'string' },
      state: { type: 'string' },
      limit: { type: 'string' },
      after: { type: 'string' },
      all: { type: 'boolean', default: false },
      caip2: { type: 'string' },
      network: { type: 'string' },
      to: { type: 'string' },
      amount: { type: 'string' },
      yes: { type: 'boolean', default: false },
      plain: { type: 'boolean', default: false },
      from: { type: 'string' },
      activity: { type: 'string' },
      sponsored: { type: 'boolean' },
      'max-fee': { type: 'string' },
      'max-priority-fee': { type: 'string' },
      wait: { type: 'boolean', default: false },
    },
  });
  const [command, ...rest] = positionals;
  if (values.version) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const help = helpFor(command, rest, values.help);
  if (help !== undefined || command === undefined) {
    process.stdout.write(help?.text ?? HELP);
    return help?.code ?? 2;
  }
  const surplus = rest[ARGUMENTS[command] ?? rest.length];
  if (surplus !== undefined) throw new UsageError(`countersign ${command} takes no "${surplus}": see countersign help`);
  if (command === 'start') {
    await import('./main.ts');
    return -1;
  }
  if (command === 'config') process.stdout.write(`${showConfig(values.json)}\n`);
  else if (command === 'stamp')
    process.stdout.write(`${stampBody(readCredentials(configOf(), values.credentials), rest[0] ?? readFileSync(0, 'utf8'))}\n`);
  else if (command === 'keygen') {
    const { text, note } = keygen(rest[0]!, values);
    process.stdout.write(text);
    process.stderr.write(note);
  } else if (command === 'clock') {
    const { clockCommand } = await import('./cli/clock.ts');
    process.stdout.write(await clockCommand(rest, Date.now(), values));
  } else if (command === 'ip-allowlist') {
    const { ipAllowlistCommand } = await import('./cli/ip-allowlist.ts');
    process.stdout.write(await ipAllowlistCommand(rest, Date.now(), values));
  } else if (command === 'templates') {
    const { templatesCommand } = await import('./cli/templates.ts');
    process.stdout.write(await templatesCommand(rest, Date.now(), values));
  } else if (command === 'outbox') {
    const { outboxCommand } = await import('./cli/outbox.ts');
    process.stdout.write(await outboxCommand(rest, Date.now(), values));
  } else if (command === 'chain') {
    const { chainCommand } = await import('./cli/chain.ts');
    const { text, code } = await chainCommand(rest, values);
    process.stdout.write(text);
    return code;
  } else if (command === 'sends') {
    const { sendsCommand } = await import('./cli/sends.ts');
    const told = await sendsCommand(rest, Date.now, values);
    if ('reply' in told) return show(told.reply);
    process.stdout.write(told.text);
    return told.code;
  } else if (command === 'submit') {
    const { submit } = await import('./cli/operations.ts');
    return show(await submit(rest[0], rest[1], Date.now(), values));
  } else if (command === 'query') {
    const { query } = await import('./cli/operations.ts');
    return show(await query(rest[0], rest[1], values));
  } else if (command === 'why') return showWhy(rest[0], values);
  else if (command === 'policy') {
    const { policyCommand } = await import('./cli/policy/index.ts');
    const { text, code } = await policyCommand(rest, Date.now(), values.json, values.strict);
    process.stdout.write(text);
    return code;
  } else if (command === 'archive') {
    const { archiveCommand } = await import('./cli/archive.ts');
    const { text, code } = await archiveCommand(values, Date.now());
    process.stdout.write(text);
    return code;
  } else throw unknownCommand(command);
  return 0;
}

// The reader may close the pipe early (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode ?? 0);
});

run(process.argv.slice(2)).then(
  (code) => {
    if (code >= 0) process.exitCode = code;
  },
  (error: unknown) => {
    const unparsed = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
    const notDone = error instanceof NotDone;
    const expected = error instanceof UsageError || error instanceof ConfigError || notDone || unparsed;
    const message = expected ? (error as Error).message.split('. To specify')[0] : (error as Error).stack;
    process.stderr.write(`${message ?? String(error)}${unparsed ? ': see countersign help' : ''}\n`);
    process.exitCode = notDone ? 1 : 2;
  },
);
