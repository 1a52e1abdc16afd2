import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import type { ActivityKind } from '../../src/engine/activity/declare.ts';
import { queries } from '../../src/queries/index.ts';
import { backupPlace, textOf } from '../support/backups.ts';
import { findings, formsOf, type Place } from '../support/canary/encodings.ts';
import { FLOWS } from '../support/canary/flows.ts';
import { answers, files, type Question, tables } from '../support/canary/places.ts';
import { ROTATED } from '../support/canary/rotation.ts';
import { newWorld, type World } from '../support/canary/world.ts';
import { cli } from '../support/cli.ts';
import { sharedProviders } from '../support/oauth2.ts';
import { waitFor } from '../support/wait.ts';

/**
 * Codes, tokens, bundles and secrets of every flow are in no log, no list, no error, no row and no file. Each flow is carried out on the
 * real service; then everything is searched.
 */
const outside = await sharedProviders();

const RESOURCES = ['AUTH', 'OTP', 'RECOVERY', 'SECRET'];
const HANDLES = ['issue', 'sessions', 'codes', 'one-time', 'tokens', 'oauth2', 'on-ramp', 'proxy', 'quorum'];

/** Whether something of an activity of this kind may be a secret. */
const isSensitive = ({ resource, secrets, resultSecrets, custody }: ActivityKind): boolean =>
  RESOURCES.includes(resource) || secrets.length + resultSecrets.length > 0 || custody.some((kind) => HANDLES.includes(kind));

test('every kind of activity that handles secrets is in a flow', () => {
  const lines = new Set(FLOWS.flatMap(({ kinds }) => kinds));
  const missing = activities.filter((kind) => isSensitive(kind) && !lines.has(kind.kind)).map(({ kind }) => kind);
  assert.deepEqual(missing, [], 'add each to a flow in tests/support/canary/flows.ts');
});

test('a secret is found as it is, and encoded', () => {
  const text = 'token-0123456789?>';
  const places = ['hex', 'base64', 'base64url'].flatMap((encoding) =>
    ['', 'a', 'ab'].map((before) => Buffer.from(`${before}${text} and more`).toString(encoding as BufferEncoding)),
  );
  for (const place of [...places, `a ${text} b`])
    assert.equal(findings([{ name: 'token', text }], [{ name: 'place', bytes: Buffer.from(place) }]).length, 1, place);
  assert.ok(formsOf({ name: 'key', text: 'ff00aa11' }).some((form) => form.equals(Buffer.from('ff00aa11', 'hex'))));
});

/** The queries, with the members that they need besides the organization. */
const questions: Question[] = queries.map(({ name, params }) => {
  const { shape } = params as unknown as { shape: Record<string, { safeParse(value: unknown): { success: boolean } }> };
  const needs = Object.entries(shape).filter(
    ([member, type]) => member !== 'organizationId' && !type.safeParse(undefined).success,
  );
  return { name, needs: needs.map(([member]) => member), pages: 'paginationOptions' in shape };
});

/** The lists as the sender of every request sees them. */
async function ownLists({ root, organizationIds }: World): Promise<Place[]> {
  const places: Place[] = [];
  for (const organizationId of organizationIds) {
    const { status, text } = await root
      .as(root.keys, organizationId)
      .query('list_activities', { paginationOptions: { limit: '100' } });
    places.push({ name: `list_activities ${status} of the sender`, bytes: Buffer.from(text) });
  }
  return places;
}

/** A copy of the instance, its text, and the output of the commands about it. */
async function copied({ folder, databaseUrl }: World): Promise<Place[]> {
  const place = await backupPlace();
  try {
    const env = { DATA_DIR: folder, ...ROTATED, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) };
    const file = place.at('copy.age');
    const made = await cli(['backup', '--out', file, '--recipient', place.recipient, '--json'], { env });
    const drill = await cli(['restore', '--drill', '--from', file, '--identity', place.identityFile], { env });
    assert.deepEqual([made.code, drill.code], [0, 0], made.err + drill.err + drill.out);
    assert.match(drill.out, /^\d{2,} secrets open, /m);
    const texts = { backup: made.out + made.err, drill: drill.out + drill.err, copy: await textOf(place, file) };
    return Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  } finally {
    place.remove();
  }
}

/** Where the service writes, what it tells those who sent nothing, and what is in lists. */
async function everywhere(world: World): Promise<Place[]> {
  const { service, folder, databaseUrl, reader, organizationIds, errors, stream } = world;
  const told = await answers(reader, organizationIds, questions);
  return [
    ...told,
    ...(await ownLists(world)),
    { name: 'the log', bytes: Buffer.from(service.output()) },
    { name: 'the stream', bytes: Buffer.from(JSON.stringify(stream.messages)) },
    { name: 'an error', bytes: Buffer.from(errors.join('\n')) },
    ...files(folder),
    ...(databaseUrl === undefined ? [] : await tables(databaseUrl)),
  ];
}

test("no secret of any flow is in a log, a row, a file or another user's answer", async (t) => {
  const world = await newWorld(t, outside);
  for (const { run } of FLOWS) await run(world);
  // What must be found shows that the search looks.
  const { userId } = (await world.reader.query('whoami')).body;
  await world.root.query('get_user', { userId, planted: 1 });
  const { activity } = (await world.root.submit('CREATE_USER_TAG', { userTagName: 'planted', userIds: [userId] })).body;
  await waitFor('the stream', () => world.stream.activities().includes(activity.id));
  const places = await everywhere(world);
  const where = findings([{ name: 'the user', text: userId.replaceAll('-', '') }], places).concat(
    findings([{ name: 'the user', text: userId }], places),
  );
  for (const place of [
    'the log',
    'the stream',
    'get_activity 200',
    'list_users 200',
    'list_activities 200 of the sender',
    ...(world.databaseUrl ? ['table users', 'table webhook_events'] : ['file countersign.db']),
  ])
    assert.ok(
      where.some((found) => found.includes(place)),
      `nothing is found in ${place}: ${[...new Set(where)].join(', ')}`,
    );
  assert.ok(world.secrets.length > 20);
  assert.deepEqual(findings(world.secrets, [...places, ...(await copied(world))]), []);
  assert.ok(world.bundles.length > 2);
  const besides = places.filter(({ name }) => !name.startsWith('get_activity'));
  assert.deepEqual(findings(world.bundles, besides), []);
  world.service.child.kill('SIGTERM');
  await world.service.exited;
  assert.deepEqual(findings(world.secrets, files(world.folder)), []);
});
