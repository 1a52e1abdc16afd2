import { type QueryFact, queryFacts, queryName, resolve } from '../../tests/conformance/interface.ts';
import { listed, sampled } from './lists.ts';
import { camel, checkOperation, kebab, resourceFolder } from './names.ts';
import { importsOf, schemaText, type Uses } from './shapes.ts';
import type { File, Made } from './tree.ts';

/** The envelope of every query. */
const ENVELOPE = ['organizationId'];

function source({ path, body, response }: QueryFact, name: string, folder: string): File {
  const uses: Uses = new Map();
  const [params, result] = [schemaText(body, 'input', uses), schemaText(response, 'output', uses)];
  const text = `import { z } from 'zod';
${importsOf(uses)}import { query } from '../../engine/query/declare.ts';

export const ${camel(kebab(name))} = query({
  name: '${path.split('/').at(-1)}',
  summary: '${name}: describe the answer in a few words',
  params: ${params},
  result: ${result},
  errors: [],
  async run() {
    throw new Error('${name} is not written yet');
  },
});
`;
  return { path: `src/queries/${folder}/${kebab(name)}.ts`, text };
}

function testOf({ body }: QueryFact, name: string, folder: string): File {
  const paged = resolve(body).properties?.paginationOptions !== undefined;
  const text = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${camel(kebab(name))} } from '../../../src/queries/${folder}/${kebab(name)}.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';
${paged ? "import { refusesEachQuery } from '../../support/refusals.ts';\n" : ''}${paged ? "import { badPagination } from '../support.ts';\n" : ''}
const instance = await sharedInstance();

const sample = samples('${name}') as object;

test('a stored one is found', async () => {
  const { status, body, text } = await instance.root.query('${name}', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(${camel(kebab(name))}.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('a missing one is not found, and neither is one of another organization', () => {
  assert.fail('show that no other organization sees it');
});
${paged ? `\ntest('bad pages are named', () => refusesEachQuery(instance.root, '${name}', badPagination));\n` : ''}`;
  return { path: `tests/queries/${folder}/${kebab(name)}.test.ts`, text };
}

/** One query, as far as the facts of the interface say. */
export function newQuery(name: string, resource: string | undefined): Made {
  checkOperation(name, queryFacts.map(queryName), 'queries');
  const fact = queryFacts.find((one) => queryName(one) === name)!;
  const folder = resourceFolder(name, resource, 'queries');
  const test = testOf(fact, name, folder);
  const files = [
    source(fact, name, folder),
    ...listed('queries', folder, kebab(name)),
    ...sampled('queries', folder, name, fact.body, ENVELOPE),
    test,
  ];
  return {
    files,
    next: ['write run, then what its test should show', `npm run generate; node --test ${test.path}; npm run check`],
  };
}
