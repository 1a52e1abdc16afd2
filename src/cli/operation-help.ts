import { readFileSync } from 'node:fs';
import { nearest } from '../base/nearest.ts';
import { UsageError } from './client.ts';
import { CREDENTIALS } from './credentials-help.ts';
import { columns, wrapped } from './wrap.ts';

/** As `npm run generate` writes it from the schemas, and from parameters that tests send. A row has a name and what it takes; `*`: required. */
export type OperationHelp = {
  readonly command: 'submit' | 'query';
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly refusals: readonly string[];
  readonly parameters: readonly (readonly [string, string])[];
  readonly example: object;
};

/** Longer parameters of an example are a document of their own. */
const ONE_LINE = 90;

export const operationsHelp = (): OperationHelp[] =>
  JSON.parse(readFileSync(new URL('../../openapi/operations-help.json', import.meta.url), 'utf8'));

function exampleOf({ command, name, example }: OperationHelp): string {
  const call = `./countersign ${command} ${name}`;
  const line = JSON.stringify(example);
  if (line === '{}') return call;
  if (line.length <= ONE_LINE && !line.includes("'")) return `${call} '${line}'`;
  return `${call} - <<'END'\n${JSON.stringify(example, null, 2)}\nEND`;
}

/** `countersign submit NAME --help` and `countersign query NAME --help`, of an operation that exists. */
export function operationHelp(command: 'submit' | 'query', name: string): string {
  const found = operationsHelp().find((each) => each.command === command && each.name === name)!;
  const { summary, refusals, parameters } = found;
  return [
    `Usage: countersign ${command} ${name} [PARAMETERS] [options]\n`,
    `${wrapped(`${summary}.`, 0)}\n`,
    parameters.length === 0
      ? 'It takes no parameters.\n'
      : `PARAMETERS is a JSON object with these members (*: required), or @FILE, or - for standard input:\n\n${columns(parameters)}`,
    ...(refusals.length === 0 ? [] : [`${wrapped(`It may be refused with ${refusals.join(', ')}.`, 0)}\n`]),
    CREDENTIALS,
    `Example:\n${exampleOf(found)
      .replace(/^/gm, '  ')
      .replace(/^ {2}END$/m, 'END')}\n`,
  ].join('\n');
}

/** Words are compared without their separators: `create-wallet` is `create_wallet`. */
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]/g, '');

const holds = (word: string, { name, group, summary, parameters }: OperationHelp): boolean =>
  [name, group, summary, ...parameters.map(([member]) => member)].some((text) => plain(text).includes(plain(word)));

/** `countersign operations [WORD]` */
export function operationsCommand(word: string | undefined, json: boolean): { text: string } {
  const all = operationsHelp();
  const found = word === undefined ? all : all.filter((each) => holds(word, each));
  if (found.length === 0) {
    const meant = nearest(word!, [...all.map(({ name }) => name), ...all.map(({ group }) => group)]);
    throw new UsageError(`no operation has "${word}"${meant === undefined ? '' : `: did you mean ${meant}?`}`);
  }
  if (json) {
    const operations = found.map(({ command, name, group, summary }) => ({ command, name, group, summary }));
    return { text: `${JSON.stringify({ operations }, null, 2)}\n` };
  }
  const groups = [...Map.groupBy(found, ({ group }) => group)].map(([group, those]) => {
    const rows = those.map(({ command, name, summary }): [string, string] => [`${command.padEnd(6)} ${name}`, summary]);
    return `${group}\n${columns(rows, 42)}`;
  });
  return { text: `${groups.join('\n')}\nParameters and an example: countersign submit|query NAME --help\n` };
}
