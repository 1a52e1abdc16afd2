import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { activities } from '../../src/activities/index.ts';
import { proxyEndpoints } from '../../src/auth-proxy/index.ts';
import { validate } from '../../src/engine/request/body.ts';
import { Envelope } from '../../src/engine/request/envelope.ts';
import { type Shape, shapeOf } from '../../src/engine/request/shape.ts';
import { unknownMembers } from '../../src/engine/request/unknown-members.ts';
import { queries } from '../../src/queries/index.ts';
import { sharedInstance } from '../support/instance.ts';
import { ID } from '../support/samples.ts';
import { inSnakeCase } from '../support/snake-case.ts';
import { homeOf, okOf, roomy } from '../support/world/homes.ts';
import { thingsIn } from '../support/world/kinds.ts';
import { goodParameters, queryOperation, sampleOf, send, versionsOf } from '../support/world/parameters.ts';

/** Whatever a body may have is also taken in snake_case, and means the same: all versions, all queries, all of the auth proxy. */

const instance = await sharedInstance(roomy);
const home = homeOf(instance);

const versions = activities.flatMap(versionsOf);
const asked = queries.map(queryOperation);

const SCHEMAS: readonly (readonly [string, z.ZodType])[] = [
  ['envelope', Envelope],
  ...[...versions, ...asked].map(({ type, schema }) => [type, schema] as const),
  ...proxyEndpoints.map(({ path, params }) => [path, params] as const),
];

/** Where nothing is described. `simulate_activity` reads its parameters as the type that it is asked about. */
const OPEN = ['envelope.parameters', 'simulate_activity.parameters{}'];

test('no spelling of one member is that of another, and every member is described', () => {
  const open: string[] = [];
  const walk = (shape: Shape, path: string): void => {
    if (shape.open) open.push(path);
    const declared = new Set([...(shape.members?.values() ?? [])].map(({ name }) => name));
    for (const name of declared) {
      assert.match(name, /^[a-z][a-zA-Z0-9]*$/, `${path}.${name}: a declared name is camelCase`);
      const [spelled] = Object.keys(inSnakeCase({ [name]: 0 }) as object);
      for (const spelling of [name, spelled!])
        assert.equal(shape.members!.get(spelling)?.name, name, `${path}: ${spelling} is ${name}`);
      walk(shape.members!.get(name)!.shape, `${path}.${name}`);
    }
    assert.ok(shape.members === undefined || shape.values === undefined, `${path}: a free map has no declared members`);
    if (shape.elements) walk(shape.elements, `${path}[]`);
    if (shape.values) walk(shape.values, `${path}{}`);
  };
  for (const [name, schema] of SCHEMAS) walk(shapeOf(schema), name);
  assert.deepEqual(open, OPEN);
});

for (const operation of [...versions, ...asked]) {
  const { type, schema } = operation;
  test(`${type.replace('ACTIVITY_TYPE_', '')}: its sample in snake_case is the same`, () => {
    const sample = { ...(operation.kind ? {} : { organizationId: ID }), ...sampleOf(operation) };
    // What it asks about is read as its type once that is known: see below.
    const spelled = inSnakeCase(sample, type === 'simulate_activity' ? 'parameters' : undefined);
    assert.deepEqual(unknownMembers(schema, spelled, ''), []);
    assert.deepEqual(validate(schema, spelled, ''), validate(schema, sample, ''));
  });
}

/** Each ticket is another one, and each moment another moment. */
const shown = ({ text }: { text: string }): string =>
  text.replace(/^\{"ticket":.*$/, 'a ticket').replace(/"evaluatedAtMs":"\d{13}"/, 'now');

test('every query in snake_case has the same answer, and names nothing as ignored', async () => {
  const things = thingsIn(home);
  // The facts of list_audit are written after the activities.
  for (const operation of asked.filter(({ name }) => name !== 'list_audit')) {
    const parameters = await goodParameters(operation, things);
    const { organizationId } = home.client;
    const answer = await send(home.client, operation, parameters);
    const spelled = await home.client.send(operation.path, JSON.stringify(inSnakeCase({ organizationId, ...parameters })));
    assert.deepEqual([spelled.status, shown(spelled)], [okOf(operation.name), shown(answer)], operation.name);
    assert.equal(spelled.headers.get('x-ignored-fields'), null, operation.name);
  }
});
