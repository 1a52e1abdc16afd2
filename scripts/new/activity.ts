import { type ActivityFact, activityFacts, resolve, type VersionFact } from '../../tests/conformance/interface.ts';
import { listed, sampled } from './lists.ts';
import { camel, checkOperation, kebab, resourceFolder } from './names.ts';
import { importsOf, schemaText, type Uses } from './shapes.ts';
import type { File, Made } from './tree.ts';

/** A new activity shows nothing to policies, until its author changes this. */
const POLICY_PARAMS = 'policyParams: {},';

const notWritten = (what: string): string => `throw new Error('${what} is not written yet');`;

const quoted = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: '${value}',\n`]))
    .join('');

/** `v1(…).to(2, …)`: the author writes each step, unless the shape stayed the same. */
function chain({ kind, versions }: ActivityFact, uses: Uses): string {
  const [first, ...later] = Object.values(versions) as [VersionFact, ...VersionFact[]];
  const schema = ({ intent }: VersionFact) => schemaText(intent, 'input', uses);
  const start = first.version === 1 ? `v1(${schema(first)})` : `since(${first.version}, ${schema(first)})`;
  const same = (a: VersionFact, b: VersionFact) => JSON.stringify(resolve(a.intent)) === JSON.stringify(resolve(b.intent));
  const steps = later.map((version, i) => {
    const before = [first, ...later][i]!;
    const up = same(before, version)
      ? '(p) => p'
      : `() => { ${notWritten(`${kind}: version ${version.version} from ${before.version}`)} }`;
    return `\n  .to(${version.version}, ${schema(version)}, ${up})`;
  });
  return start + steps.join('');
}

/** The newest result, and those that older versions write under another key. */
function results({ kind, versions }: ActivityFact, uses: Uses): string {
  const all = Object.values(versions);
  const newest = all.at(-1)!;
  const shape = ({ result }: VersionFact) => (result ? schemaText(result, 'output', uses) : 'z.object({})');
  const old = all.filter(({ resultKey }, i) => resultKey !== newest.resultKey && resultKey !== all[i + 1]?.resultKey);
  const row = (one: VersionFact) =>
    `{ until: ${one.version}, key: '${one.resultKey}', shape: ${shape(one)}, write: () => { ${notWritten(`${kind}: the result of version ${one.version}`)} } }`;
  return `result: { key: '${newest.resultKey}', shape: ${shape(newest)} },${old.length > 0 ? `oldResults: [${old.map(row).join(', ')}],` : ''}`;
}

function sources(fact: ActivityFact, folder: string): File[] {
  const { kind, path, resource = '', action = '', governance } = fact;
  const at = `src/activities/${folder}/${kebab(kind)}`;
  const several = Object.keys(fact.versions).length > 1;
  const [own, old]: [Uses, Uses] = [new Map(), new Map()];
  const params = chain(fact, several ? old : own);
  const result = results(fact, own);
  const start = params.startsWith('v1') ? 'v1' : 'since';
  const versions = `import { z } from 'zod';\nimport { ${start} } from '../../engine/activity/versions.ts';\n`;
  const text = `${several ? `import { z } from 'zod';\nimport { params } from './${kebab(kind)}.history.ts';\n` : versions}${importsOf(own)}import { activity } from '../../engine/activity/declare.ts';

export const ${camel(kebab(kind))} = activity({
${quoted({
  kind,
  resource,
  action,
  path: path.endsWith(`/${kind.toLowerCase()}`) ? undefined : path.replace('/public/v1/submit/', ''),
  governedBy: governance === 'root-quorum' ? governance : undefined,
  summary: `${kind}: describe the effect in a few words`,
})}  params${several ? '' : `: ${params}`},
  ${POLICY_PARAMS}
  ${result}
  errors: ['REQUEST_INVALID'],
  async execute() {
    ${notWritten(kind)}
  },
});
`;
  const history = `${versions}${importsOf(old)}\nexport const params = ${params};\n`;
  return [{ path: `${at}.ts`, text }, ...(several ? [{ path: `${at}.history.ts`, text: history }] : [])];
}

function testOf({ kind, versions }: ActivityFact, folder: string): File {
  const types = Object.keys(versions).map((type) => type.replace('ACTIVITY_TYPE_', ''));
  const newest = Object.values(versions).at(-1)!;
  const old = types.slice(0, -1).map(
    (type) => `test('${type} is accepted in its own shape', () => {
  assert.fail('send ${type}, and compare intent and result with what it wrote');
});
`,
  );
  const text = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const TYPE = '${types.at(-1)}';
const KEY = '${newest.resultKey}';
const sample = samples('${kind}') as object;

test('accepted', async () => {
  const result = resultOf(await instance.root.submit(TYPE, sample), KEY);
  assert.fail(\`compare \${JSON.stringify(result)} with what it should be, and read by a query what changed\`);
});

${old.join('\n')}
test('each listed error', () => {
  assert.fail('show when each code of errors is answered, and that nothing changed then');
});
`;
  return { path: `tests/activities/${folder}/${kebab(kind)}.test.ts`, text };
}

/** One activity with all its versions, as far as the facts of the interface say. */
export function newActivity(kind: string, resource: string | undefined): Made {
  checkOperation(
    kind,
    activityFacts.map((fact) => fact.kind),
    'activities',
  );
  const fact = activityFacts.find((one) => one.kind === kind)!;
  const folder = resourceFolder(kind, resource, 'activities');
  const newest = Object.values(fact.versions).at(-1)!;
  const test = testOf(fact, folder);
  const files = [
    ...sources(fact, folder),
    ...listed('activities', folder, kebab(kind)),
    ...sampled('activities', folder, kind, newest.intent, []),
    test,
  ];
  return {
    files,
    next: [
      ...(fact.resource === undefined ? ['the facts name no resource and action: decide both'] : []),
      'write what throws, then say what its tests should show: accepted, each error, each old version. tests/conformance shows the rest',
      'show policies what they may see in policyParams',
      'name in errors its own codes, and each function that it calls and that declares codes',
      `npm run generate; node --test ${test.path}; npm run check`,
    ],
  };
}
