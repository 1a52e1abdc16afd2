import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { backupPlace } from '../support/backups.ts';
import { cli } from '../support/cli.ts';
import { clientOf, resultOf, submitPath } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

/** A copy that an earlier program made with `countersign backup`, and what its service had answered. */
const fixture = (name: string) => new URL(`fixtures/copy-of-schema-49.${name}`, import.meta.url);
const facts = JSON.parse(readFileSync(fixture('json'), 'utf8'));

const place = await backupPlace();
const database = await freshDatabase();
const file = place.at('copy.age');
copyFileSync(fixture('age'), file);
writeFileSync(place.identityFile, `${facts.identity}\n`);
const env = { DATA_DIR: place.at('data'), ...(database ? { DATABASE_URL: database.url } : {}) };
const restore = async (...options: string[]) => {
  const { code, out, err } = await cli(['restore', '--from', file, '--identity', place.identityFile, ...options], { env });
  assert.equal(code, 0, err);
  return out;
};

after(async () => {
  await database?.drop();
  place.remove();
});

test(`a copy of an older schema is migrated, opens, and answers what was answered before, on ${engineName}`, async () => {
  assert.match(await restore('--drill'), /schema 49 .*13 secrets open, 3 activities have their fingerprint, 3 stamps verify/s);
  await restore();
  const service = await startProcess(env);
  await service.ready();
  const client = clientOf(service.url, facts.keys, facts.organizationId);
  const known = await client.send(submitPath('SIGN_RAW_PAYLOAD_V2'), facts.body);
  assert.equal(known.body.activity?.id, facts.activityId, known.text);
  const parameters = JSON.parse(facts.body).parameters;
  const again = await client.submit('SIGN_RAW_PAYLOAD_V2', parameters);
  assert.deepEqual(resultOf(again, 'signRawPayloadResult'), facts.signature);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0);
});
