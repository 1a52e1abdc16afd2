import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { queries } from '../../src/queries/index.ts';
import { isRelease } from '../support/full.ts';
import { startInstance } from '../support/instance.ts';
import { type Bad, badParameters } from '../support/world/bad.ts';
import { type Dump, difference, openDump } from '../support/world/dump.ts';
import { inputSchema } from '../support/world/fields.ts';
import { homeOf, roomy } from '../support/world/homes.ts';
import { thingsIn } from '../support/world/kinds.ts';
import { goodParameters, queryOperation, send, versionsAsked } from '../support/world/parameters.ts';
import { saysWhy } from '../support/world/texts.ts';

/**
 * Every member of every version's parameters, from its schema: missing, null, of another type, too long, too many, no allowed value. Each
 * is refused with 400. The refusal names the field, says what is wrong with it, and leaves nothing.
 */

const instance = await startInstance(roomy);
const home = homeOf(instance);
let dump: Dump;
before(async () => {
  dump = await openDump(instance);
});
after(async () => {
  await dump?.close();
  await instance.close();
});

/** All ways in which a parameter is wrong in `--release`. Otherwise one of each parameter, by turns. */
const someOf = (all: readonly Bad[]): readonly Bad[] =>
  isRelease ? all : [...Map.groupBy(all, ({ field }) => field).values()].map((ways, turn) => ways[turn % ways.length]!);

/** Only the size of the body bounds them. */
const AS_LONG_AS_THE_BODY = /^(payload|payloads\[0\]|unsignedTransaction)$/;

for (const operation of [...activities.flatMap(versionsAsked), ...queries.map(queryOperation)]) {
  const root = operation.kind === undefined ? '' : 'parameters.';
  test(`${operation.type.replace('ACTIVITY_TYPE_', '')}: each parameter that is wrong is refused by its name, and nothing is stored`, async () => {
    const { organizationId } = home.client;
    const good = { ...(operation.kind ? {} : { organizationId }), ...(await goodParameters(operation, thingsIn(home))) };
    const rows = await dump.of([organizationId]);
    const problems: string[] = [];
    for (const { what, field, parameters } of someOf(badParameters(inputSchema(operation.schema), good))) {
      if (what === 'too long' && AS_LONG_AS_THE_BODY.test(field)) continue;
      const answer = await send(home.client, operation, parameters);
      const { fieldViolations = [] } = answer.body.details?.find((d: object) => 'fieldViolations' in d) ?? {};
      const named = fieldViolations.map((violation: { field: string }) => violation.field);
      if (answer.status !== 400 || !named.includes(root + field) || !saysWhy(answer.body.message, root + field, what))
        problems.push(`${field} ${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(difference(rows, await dump.of([organizationId])), []);
  });
}
