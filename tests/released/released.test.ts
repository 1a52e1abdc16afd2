import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { partOf } from '../../scripts/generate/schema.ts';
import { createApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/config.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { clientOf } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { roomy } from '../support/world/homes.ts';
import { contractOf } from './contract.ts';
import { copyOf, factsOf, unzipped, versions } from './copies.ts';
import { errorsNow } from './errors.ts';
import { shownActivity, signatureOf } from './frozen.ts';
import { narrowed, shrunk } from './grown.ts';
import { NARROWED } from './narrowed.ts';

type Contract = { operations: Record<string, { versions: Record<string, unknown> }> };

/** The schema of each version of each request, by its place. */
const requestsOf = (contract: object): [place: string, request: unknown][] =>
  Object.entries((contract as Contract).operations).flatMap(([path, { versions }]) =>
    Object.entries(versions).map(([type, request]): [string, unknown] => [`${path} ${type}`, request]),
  );

/** What was released is read by every later version: the database, its keys and its bodies. Shapes and texts only grow. */

/** A service over a copy of the database that `version` left. */
async function restored(version: string, use: (url: string) => Promise<void>): Promise<void> {
  const copy = await copyOf(version);
  try {
    const env = { ...roomy, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal', DEV_OUTBOX: '1', RATE_UNSTAMPED: 'off' };
    const app = await createApp(readConfig({ ...env, ...copy.env }));
    try {
      await use(await app.http.listen({ host: '127.0.0.1', port: 0 }));
    } finally {
      await app.close();
    }
  } finally {
    await copy.remove();
  }
}

for (const version of versions) {
  test(`a database of ${version} on ${engineName}: each activity is shown as then, and each key signs as then`, () =>
    restored(version, async (url) => {
      const { holders, activities, signatures } = factsOf(version);
      const clients = holders.map(({ organizationId, keys }) => clientOf(url, keys, organizationId));
      assert.ok(activities.length > 300 && signatures.length > 20, `${activities.length}, ${signatures.length}`);
      for (const { holder, id, shown } of activities) {
        const [was, now] = [shown, await shownActivity(clients[holder]!, id)].map((text) => JSON.parse(text));
        assert.deepEqual(shrunk(was, now), [], `${id} of ${version}`);
      }
      for (const { holder, signWith, ...signature } of signatures)
        assert.deepEqual(await signatureOf(clients[holder]!, signWith), signature, `${signWith} of ${version}`);
    }));

  for (const name of ['public-api.json', 'auth-proxy.json'])
    test(`what ${version} accepts and answers is accepted and answered as then: ${name}`, () => {
      const now = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi', name), 'utf8'));
      const [before, after] = [contractOf(JSON.parse(unzipped(version, `${name}.gz`).toString())), contractOf(now)];
      assert.deepEqual(shrunk(before, after), []);
      const requests = new Map(requestsOf(after));
      const places = requestsOf(before).flatMap(([place, request]) => narrowed(request, requests.get(place), place));
      assert.deepEqual(
        places.filter((place) => !NARROWED.some(({ form }) => form.test(place))),
        [],
      );
    });

  test(`the migrations of ${version} write the same statements as then`, () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const schema = readFileSync(join(import.meta.dirname, version, `schema.${engine}.sql`), 'utf8');
      const parts = schema.split(/^(?=-- \d+: )/m).slice(1);
      assert.ok(parts.length > 1);
      const now = migrations.slice(0, parts.length).map((migration) => partOf(migration, engine));
      assert.deepEqual(
        now.map((part) => part.trim().split('\n')),
        parts.map((part) => part.trim().split('\n')),
      );
    }
  });

  test(`the error codes of ${version} have the same numbers and names as then`, () => {
    const before = JSON.parse(readFileSync(join(import.meta.dirname, version, 'errors.json'), 'utf8'));
    assert.deepEqual(shrunk(before, errorsNow()), []);
  });

  test(`policies of ${version} may use each root and function as then`, () => {
    const now = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi/policy-environment.json'), 'utf8'));
    assert.deepEqual(shrunk(JSON.parse(unzipped(version, 'policy-environment.json.gz').toString()), now), []);
  });
}

test('a request that requires more, or has a new bound, is named, and one with a new optional member is not', () => {
  const text = { type: 'string' };
  const was = { type: 'object', required: ['a'], properties: { a: text, list: { type: 'array', items: text } } };
  const inside = {
    ...was,
    properties: { ...was.properties, list: { type: 'array', items: { ...text, pattern: 'x' }, maxItems: 9 } },
  };
  assert.deepEqual(narrowed({ oneOf: [was] }, { oneOf: [{ ...inside, required: ['a', 'list'] }, was] }, 'R'), [
    'R/oneOf/0 requires list',
    'R/oneOf/0/properties/list has a new maxItems',
    'R/oneOf/0/properties/list/items has a new pattern',
  ]);
  const more = { ...was, description: 'new', properties: { ...was.properties, required: { ...text, maxLength: 1 } } };
  assert.deepEqual(narrowed(was, more), []);
  assert.deepEqual(narrowed(was, { ...was, required: [] }), []);
});

test('members that are missing, changed or of another type are named, and new members and texts are not', () => {
  const was = { id: 'a', list: ['x', 'y'], inner: { n: 1, gone: true }, description: 'old' };
  assert.deepEqual(shrunk(was, { id: 'b', list: ['y'], inner: { n: '1' }, description: 'new' }), [
    '/id is "b", not "a"',
    '/list has no x',
    '/inner/n is "1", not 1',
    '/inner has no gone',
  ]);
  assert.deepEqual(shrunk(was, { ...was, list: ['z', 'y', 'x'], inner: { ...was.inner, more: 1 }, description: 'new' }), []);
});
