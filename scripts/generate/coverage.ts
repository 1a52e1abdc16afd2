import { globSync, readFileSync } from 'node:fs';
import type { ActivityKind } from '../../src/engine/activity/declare.ts';
import type { QueryKind } from '../../src/engine/query/declare.ts';
import { NOT_YET, REASONS, REFUSED } from '../../tests/conformance/not-yet.ts';
import { UNPROVEN } from '../../tests/conformance/unproven.ts';

const ROOT = new URL('../../', import.meta.url);
const files = globSync('tests/**/*.test.ts', { cwd: ROOT }).sort();
const published = files
  .filter((file) => /^tests\/e2e\/published-/.test(file))
  .map((file) => ({ file, text: readFileSync(new URL(file, ROOT), 'utf8') }));

const camel = (name: string): string => name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const link = (file: string): string => `[${file.split('/').at(-1)!.replace('.test.ts', '')}](../${file})`;

/** The operation's own file, and the published clients that call it. Throws without a file of its own: each operation has one. */
function testsOf(name: string, own: string): string {
  const found = files.filter((file) => file.endsWith(`/${own}.test.ts`));
  if (found.length === 0) throw new Error(`${name} has no test: ${own}.test.ts`);
  const calls = new RegExp(`\\b(${camel(name)}|${name}(_V\\d+)?)\\b`);
  return [...found, ...published.filter(({ text }) => calls.test(text)).map(({ file }) => file)].map(link).join(', ');
}

const unprovenOf = (name: string): string =>
  UNPROVEN.filter(({ kinds }) => kinds.test(name))
    .map(({ what }) => what)
    .join('; ');

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const head = (...names: readonly string[]): string[] => [row(...names), `|${names.map(() => '---|').join('')}`];

const versionsOf = ({ versions }: ActivityKind): string =>
  [...versions.keys()].map((type) => /_V(\d+)$/.exec(type)?.[1] ?? '1').join(', ');

/** Everything that is missing has a reason, and every reason has something that is missing. */
function missing(): string[] {
  const names = [...NOT_YET.types, ...NOT_YET.paths].filter((name) => !(name in REFUSED));
  const of = Map.groupBy(names, (name) => {
    const reasons = REASONS.filter((reason) => reason.names.test(name));
    if (reasons.length !== 1) throw new Error(`${name} has ${reasons.length} reasons in tests/conformance/not-yet.ts`);
    return reasons[0]!;
  });
  return REASONS.map((reason) => {
    const some = of.get(reason);
    if (some === undefined) throw new Error(`nothing of ${reason.what} is missing: take the reason out`);
    return row(reason.what, `\`${some.map((name) => name.split('/').at(-1)).join(' ')}\``, reason.because);
  });
}

/** The text of docs/coverage.md. */
export function coverage(activities: readonly ActivityKind[], queries: readonly QueryKind[]): string {
  const types = activities.reduce((sum, { versions }) => sum + versions.size, 0);
  return `${[
    '# Coverage of the interface',
    '',
    '`npm run generate` writes this page from the operations and their tests. Each operation has a test file of its own. `tests/conformance/` also runs every version',
    'with its refusals: without permission, with wrong parameters, and from another organization. A file called `published-…` runs a published client.',
    '',
    `${activities.length} activities in ${types} types and ${queries.length} queries are served. \`NOT_YET\` in \`tests/conformance/\` lists the rest of the interface.`,
    '',
    '## Activities',
    '',
    ...head('Activity', 'Versions', 'Path', 'Tests', 'Not proven here'),
    ...activities.map((kind) =>
      row(
        `\`${kind.kind}\``,
        versionsOf(kind),
        `\`${kind.path}\``,
        testsOf(kind.kind, kind.kind.toLowerCase().replaceAll('_', '-')),
        unprovenOf(kind.kind),
      ),
    ),
    '',
    '## Queries',
    '',
    ...head('Query', 'Tests', 'Not proven here'),
    ...queries.map(({ name }) => row(`\`${name}\``, testsOf(name, name.replaceAll('_', '-')), unprovenOf(name))),
    '',
    '## Not served',
    '',
    ...head('What', 'Names', 'Reason'),
    ...missing(),
    '',
    ...head('Refused', 'Reason'),
    ...Object.entries(REFUSED).map(([type, because]) => row(`\`${type}\``, because)),
  ].join('\n')}\n`;
}
