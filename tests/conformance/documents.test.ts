import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { proxyEndpoints } from '../../src/auth-proxy/index.ts';
import { queries } from '../../src/queries/index.ts';
import { problemsOf, type Schema } from '../support/json-schema.ts';

type Body = { content: { 'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> } } };
type Operation = { requestBody: Body; responses: { 200: Body } };

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../openapi/${name}.json`, import.meta.url), 'utf8'));

for (const name of ['public-api', 'auth-proxy'])
  test(`${name}: each example is valid by its schema, and a changed one is not`, () => {
    const { paths, components } = read(name) as {
      paths: Record<string, { post: Operation }>;
      components: { schemas: Record<string, Schema> };
    };
    const { schemas } = components;
    let checked = 0;
    for (const [path, { post }] of Object.entries(paths))
      for (const body of [post.requestBody, post.responses[200]]) {
        const { schema, examples = {} } = body.content['application/json'];
        for (const [title, { value }] of Object.entries(examples)) {
          assert.deepEqual(problemsOf(schema, value, { schemas, closed: true }), [], `${path} ${title}`);
          const more = problemsOf(schema, { ...(value as object), notThere: 1 }, { schemas, closed: true });
          assert.ok(more.length > 0, `${path} ${title}`);
          checked++;
        }
      }
    assert.ok(checked >= Object.keys(paths).length, `${checked} examples`);
  });

test('each version of each operation has an example', () => {
  const examples = read('examples') as Record<string, unknown>;
  const names = [
    ...activities.flatMap(({ versions }) => [...versions.keys()]),
    ...queries.map((query) => query.name),
    ...proxyEndpoints.map((endpoint) => `proxy:${endpoint.name}`),
  ];
  assert.deepEqual(
    names.filter((name) => !(name in examples)),
    [],
  );
});
