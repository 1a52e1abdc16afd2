import { CommandFailed } from '../base/command-failed.ts';
import { nearest } from '../base/nearest.ts';
import { VERSION } from '../base/version.ts';
import { ConfigError } from '../config.ts';
import { UsageError } from './client.ts';
import { commandNamed, commandNames } from './commands.ts';
import { optionsIn } from './help-parts.ts';
import { HELP } from './help-text.ts';
import { parsed } from './options.ts';
import { asksForJson } from './output.ts';
import { printable } from './printable.ts';
import { tell } from './tell.ts';

function unknownCommand(name = ''): UsageError {
  const meant = nearest(name, commandNames);
  return new UsageError(
    `unknown command "${name}": ${meant === undefined ? '' : `did you mean ${meant}? Or `}see countersign help`,
  );
}

/** The help of a command, or of an operation that it names. */
async function helpOf(name: string, operation: string | undefined): Promise<string> {
  const command = commandNamed(name);
  if (command === undefined) throw unknownCommand(name);
  if (operation === undefined || command.operationHelp === undefined) return command.help;
  return command.operationHelp(operation);
}

/** The requested help, or that of a command without its action. */
async function helpFor(
  command: string | undefined,
  rest: readonly string[],
  asked: boolean,
): Promise<{ text: string; code: number } | undefined> {
  const [about, ...more] = command === 'help' ? rest : [command, ...rest];
  if (asked || command === 'help')
    return { text: about === undefined || about === 'help' ? HELP : await helpOf(about, more[0]), code: 0 };
  if (command === undefined) return { text: HELP, code: 2 };
  const { help, needsAction } = commandNamed(command) ?? {};
  return needsAction && rest.length === 0 ? { text: help!, code: 2 } : undefined;
}

/** What every command takes: how it prints. */
const ALWAYS = ['help', 'version', 'json', 'output', 'field', 'quiet'];

/** An option that a command ignored would hide a mistake, such as a --dry-run that it does not know. */
function refuseForeign(name: string, help: string, given: readonly string[]): void {
  const known = optionsIn(help);
  if (known.includes('credentials')) known.push('profile');
  const foreign = given.find((option) => !known.includes(option) && !ALWAYS.includes(option));
  if (foreign !== undefined) throw new UsageError(`countersign ${name} takes no --${foreign}: see countersign ${name} --help`);
}

async function run(argv: string[]): Promise<number | undefined> {
  const { values, positionals, tokens } = parsed(argv);
  const [name, ...rest] = positionals;
  if (values.version) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const help = await helpFor(name, rest, values.help);
  if (help !== undefined || name === undefined) {
    process.stdout.write(help!.text);
    return help!.code;
  }
  const command = commandNamed(name);
  if (command === undefined) throw unknownCommand(name);
  const given = tokens.flatMap((token) => (token.kind === 'option' ? token.name.replace('by-operator', 'operator') : []));
  refuseForeign(name, command.help, given);
  const surplus = rest[command.takes ?? rest.length];
  if (surplus !== undefined) throw new UsageError(`countersign ${name} takes no "${surplus}": see countersign ${name} --help`);
  return tell(await command.run(rest, { ...values, json: asksForJson(values) }), values);
}

/** Runs the command line, and sets the exit code: 1 not done, 2 wrong usage. */
export async function main(argv: string[]): Promise<void> {
  // The reader may close the pipe early (`| head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? 0);
  });
  try {
    const code = await run(argv);
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    const unparsed = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
    const hasFailed = error instanceof CommandFailed;
    const expected = error instanceof UsageError || error instanceof ConfigError || hasFailed || unparsed;
    const message = expected ? (error as Error).message.split('. To specify')[0] : (error as Error).stack;
    // An answer of the service, or a file, may be in it.
    const lines = (message ?? String(error)).split('\n').map(printable).join('\n');
    process.stderr.write(`${lines}${unparsed ? ': see countersign help' : ''}\n`);
    process.exitCode = hasFailed ? 1 : 2;
  }
}
