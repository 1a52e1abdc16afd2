/** Blocks marked `sh` need another machine, a network or a terminal, so no test runs them: their commands are compared with what is there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Document, nameOf, requestsOf } from '../../reference/build/documents.ts';
import { commandNamed } from '../../src/cli/commands.ts';
import { actionsIn, optionsIn } from '../../src/cli/help-parts.ts';
import { parsed } from '../../src/cli/options.ts';
import { blocksOf, commandsOf, documents, read } from '../support/documents.ts';

type Line = { where: string; text: string };

/** Whole commands: a backslash at the end, or an open quotation mark, goes on in the line below. */
function linesOf(name: string): Line[] {
  return blocksOf(read(name).replace(/^ +(?=```)/gm, ''))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines, line }) => {
      const whole = lines
        .join('\n')
        .replace(/\\\n\s*/g, ' ')
        .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, (text) => text.replaceAll('\n', ' '));
      return whole
        .split('\n')
        .map((text) => ({ where: `${name}:${line}: ${text.trim()}`, text: text.replace(/(?:^|\s)#.*/, '').trim() }));
    });
}

/** A shell's words, without their quotation marks. */
const wordsOf = (text: string): string[] =>
  (text.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? []).map((word) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, one?: string, other?: string) => one ?? other!.replace(/\\(.)/g, '$1')),
  );

const api = JSON.parse(read('openapi/public-api.json')) as Document;
type Shape = { properties?: Record<string, Shape> };

/** The members that an operation's newest version takes. */
function membersOf(command: 'submit' | 'query', name: string): string[] | undefined {
  const path = api.paths[`/public/v1/${command}/${name}`];
  if (path === undefined) return undefined;
  const [newest] = requestsOf(path.post);
  const { properties = {} } = api.components.schemas[nameOf(newest!.$ref)!] as Shape;
  if (command === 'query') return Object.keys(properties);
  const parameters = properties.parameters as Shape & { $ref?: string };
  return Object.keys(
    ((api.components.schemas[nameOf(parameters.$ref) ?? ''] as Shape | undefined) ?? parameters).properties ?? {},
  );
}

/** The first argument of `countersign` that does not exist, or undefined. */
function faultOf(args: string[]): string | undefined {
  const { positionals, tokens } = parsed(args);
  const [name = '', action = '', parameters] = positionals;
  const command = commandNamed(name);
  if (command === undefined) return `no command ${name}`;
  const known = [...optionsIn(command.help), 'profile', 'help', 'version', 'json', 'output', 'field', 'quiet'];
  const foreign = tokens.find(
    (token) => token.kind === 'option' && !known.includes(token.name.replace('by-operator', 'operator')),
  );
  if (foreign !== undefined) return `no option ${(foreign as { rawName: string }).rawName}`;
  // Others take a name or a folder in that place.
  const actions = /^Usage: countersign [\w-]+ [A-Z]/.test(command.help) ? [] : actionsIn(name, command.help);
  if (command.needsAction && actions.length > 0 && !actions.includes(action)) return `no action ${action}`;
  if (name !== 'submit' && name !== 'query') return undefined;
  const members = membersOf(name, action);
  if (members === undefined) return `no operation ${action}`;
  if (!parameters?.startsWith('{')) return undefined;
  const foreignMember = Object.keys(JSON.parse(parameters.replaceAll('…', '')) as object).find((one) => !members.includes(one));
  return foreignMember && `no member ${foreignMember}`;
}

function tried(args: string[]): string | undefined {
  try {
    return faultOf(args);
  } catch (error) {
    return (error as Error).message;
  }
}

test('a block that is not run has commands, options, operations and scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  let seen = 0;
  const faults = documents.flatMap(linesOf).flatMap(({ where, text }) => {
    const found: string[] = [];
    for (const [, script] of text.matchAll(/\bnpm run ([\w:-]+)/g))
      if (scripts[script!] === undefined) found.push(`no script ${script}`);
    for (const part of text.split(/\s(?:\||&&|;)\s|\$\(/)) {
      const [, args] = /(?:^(?:[A-Z\d_]+=\S*\s+)*(?:npx )?|\.\/)countersign ([a-z-].*)$/.exec(part) ?? [];
      if (args === undefined) continue;
      seen++;
      const fault = tried(wordsOf(args.replace(/\)"?$/, '').replace(/\s[<>]+\s*\S+.*$/, '')));
      if (fault !== undefined) found.push(fault);
    }
    return found.map((fault) => `${where}\n  ${fault}`);
  });
  assert.deepEqual(faults, []);
  assert.ok(seen > 60, `${seen} commands`);
});

/** Commands within sentences. Those that end early name a command alone. */
const spansOf = (name: string): Line[] =>
  read(name)
    .replace(/^```.*?^```/gms, '')
    .split('\n')
    .flatMap((text, at) =>
      [...text.matchAll(/`((?:\.\/|npx )?countersign [a-z][^`]*)`/g)].map(([, command]) => ({
        where: `${name}:${at + 1}: ${command}`,
        text: command!,
      })),
    );

test('a command within a sentence exists, with its options', () => {
  const spans = documents.filter((name) => name !== 'CHANGELOG.md').flatMap(spansOf);
  const faults = spans.flatMap(({ where, text }) => {
    const said = wordsOf(text.replace(/\s\\?\|.*/, '').replace(/^(?:\.\/|npx )?countersign /, ''));
    const words = said.filter((word) => word !== '…');
    const [name = ''] = words;
    if (words.length === 1) return name === 'help' || commandNamed(name) !== undefined ? [] : [where];
    const fault = tried(words.map((word) => (word.startsWith('{') ? '-' : word)));
    return fault === undefined ? [] : [`${where}\n  ${fault}`];
  });
  assert.deepEqual(faults, []);
  assert.ok(spans.length > 60, `${spans.length} commands`);
});

test('a block without a mark has no commands, which no test would see, and one of JSON can be read', () => {
  for (const name of documents)
    for (const { language, lines, line } of blocksOf(read(name))) {
      const commands = lines.filter((text) => /^(?:\$ |(?:npx |\.\/)countersign |npm |curl )/.test(text));
      if (language === '') assert.deepEqual(commands, [], `${name}:${line}`);
      if (language === 'json') assert.doesNotThrow(() => JSON.parse(lines.join('\n')), `${name}:${line}`);
    }
});

test('a value is taken from an answer by --field, never by grep or cut', () => {
  const cut = documents.flatMap((name) =>
    commandsOf(read(name)).flatMap(({ line, command }) =>
      /countersign\b[^|]*\|\s*(?:grep|cut|awk|sed|jq)\b/.test(command.replace(/\|\|/g, ';'))
        ? [`${name}:${line}: ${command}`]
        : [],
    ),
  );
  assert.deepEqual(cut, []);
});
