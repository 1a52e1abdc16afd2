import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/cli/client.ts';
import { applied } from '../../../src/cli/plan/apply.ts';
import type { Service } from '../../../src/cli/plan/ask.ts';
import { aggregation, method } from '../../activities/velocity-controls/support.ts';
import { type Client, newKeys, resultOf, userWith } from '../../support/client.ts';
import { amount } from '../../support/full.ts';
import { sharedInstance } from '../../support/instance.ts';
import fc from '../../support/properties.ts';
import { apply, newFolder } from './support.ts';

const instance = await sharedInstance();
const USERS = ['Ann', 'Ben', 'Cid'];
/** They are in the files alone. */
const NEW = ['Dan', 'Eve'];
const TAGS = ['a', 'b'];
const ROLES = [[0], [1], [2], [0, 1], [1, 2]];
const SAMPLES = [
  ['CREATE_WALLET', { walletName: 'W', accounts: [] }],
  ['CREATE_USER_TAG', { userTagName: 'new', userIds: [] }],
  ['DELETE_POLICIES', { policyIds: ['00000000-0000-7000-8000-000000000001'] }],
] as const;

const part = (...texts: string[]) => fc.constantFrom('', ...texts);
const tagged = (tag: string) => `approvers.any(user, user.tags.contains('{{tag:${tag}}}'))`;
const policy = fc.record({
  name: fc.constantFrom('P1', 'P2', 'P3', 'P4'),
  effect: fc.constantFrom('ALLOW', 'ALLOW', 'DENY'),
  condition: part(
    "activity.resource == 'WALLET'",
    "activity.action == 'CREATE' || activity.action == 'DELETE'",
    "activity.kind == 'CREATE_WALLET';",
    "activity.kind == 'CREATE_WALLET' && controls.counted_wallets",
  ),
  consensus: part(
    tagged('a'),
    tagged('b'),
    `approvers.all(user, !user.tags.contains('{{tag:a}}'))`,
    'approvers.count() >= 2',
    `approvers.any(user, user.id == '{{user:Ben}}')`,
  ),
});
const counted = (identifier: string) => ({
  name: identifier,
  identifier,
  dataSource: { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }] } } },
  aggregation: aggregation({ method: method('COUNT'), threshold: '100' }),
});
const state = fc.record({
  tags: fc.constant(TAGS),
  users: fc.tuple(...USERS.map((name) => fc.record({ name: fc.constant(name), tags: fc.subarray(TAGS) }))),
  // Policies may read the first one.
  controls: fc.subarray(['one', 'two']).map((more) => ['counted_wallets', ...more.map((name) => `counted_${name}`)].map(counted)),
  policies: fc.uniqueArray(policy, { selector: ({ name }) => name, minLength: 1, maxLength: 4 }),
});

type Scene = { root: Client; second: Client | undefined; ids: string[]; files: ReturnType<typeof newFolder> };

/** With a `quorum`, two root users must agree on each request. */
async function newScene(quorum = false): Promise<Scene> {
  const { clients } = await instance.newSubOrganization('Random', quorum ? 2 : 1, quorum ? 2 : 1);
  const [root, second] = [clients[0]!, clients[1]];
  const users = USERS.map((name) => ({ ...userWith(name, [newKeys()]), userTags: [] }));
  const asked = await root.submit('CREATE_USERS_V4', { users });
  const made = second ? await second.submit('APPROVE_ACTIVITY', { fingerprint: asked.body.activity.fingerprint }) : asked;
  const { userIds } = resultOf(made, 'createUsersResult');
  return { root, second, ids: userIds, files: newFolder(root) };
}

/** Applies a plan. Where two must agree, the second approves what waits, and `seen` is called after each approval. */
async function carryOut(scene: Scene, service: Service, seen: () => Promise<void>): Promise<void> {
  const { root, second, files } = scene;
  const sleep = async () => {
    const filterByStatus = ['ACTIVITY_STATUS_CONSENSUS_NEEDED'];
    for (const { fingerprint } of (await root.query('list_activities', { filterByStatus })).body.activities) {
      resultOf(await second!.submit('APPROVE_ACTIVITY', { fingerprint }), '');
      await seen();
    }
  };
  const waitMs = second === undefined ? 0 : 60_000;
  await applied(await files.plan(PRUNE), { service, waitMs, now: Date.now, sleep, tell: () => {} });
}

const nothing = async () => {};

/** The samples that some users may do together now. */
async function allowedIn({ root, ids }: Scene): Promise<Set<string>> {
  const allowed = new Set<string>();
  const users: { userName: string; userId: string }[] = (await root.query('list_users')).body.users;
  const made = users.filter(({ userName }) => NEW.includes(userName));
  const roles = [
    ...ROLES.map((role) => ({ name: String(role.map((i) => USERS[i])), approverUserIds: role.map((i) => ids[i]) })),
    ...made.map(({ userName, userId }) => ({ name: userName, approverUserIds: [userId] })),
  ];
  for (const [type, parameters] of SAMPLES)
    for (const { name, approverUserIds } of roles) {
      const answer = await root.query('simulate_activity', { type: `ACTIVITY_TYPE_${type}`, parameters, approverUserIds });
      assert.equal(answer.status, 200, answer.text);
      if (answer.body.outcome === 'OUTCOME_ALLOW') allowed.add(`${type} by ${name}`);
    }
  return allowed;
}

class Killed extends Error {}

/** Calls `seen` after each request, and ends at request number `last`, before or after the service has taken it. */
function watched(service: Service, last: number, isTaken: boolean, seen: () => Promise<void>): Service {
  let count = 0;
  return {
    ...service,
    async send(operation, parameters) {
      const ends = count++ === last;
      if (ends && !isTaken) throw new Killed();
      const reply = await service.send(operation, parameters);
      await seen();
      if (ends) throw new Killed();
      return reply;
    },
  };
}

const PRUNE = ['policies', 'tags', 'controls'];
/** New users of the later state, with their tags. */
const newUsers = fc
  .subarray(NEW)
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.record({ name: fc.constant(name), email: fc.constant(`${name}@random.example`), tags: fc.subarray(TAGS) }),
      ),
    ),
  );

test('random organizations: no request allows what neither state allows, a killed apply goes on, and then there is nothing to do', async () => {
  let killed = 0;
  await fc.assert(
    fc.asyncProperty(
      state,
      state,
      newUsers,
      fc.boolean(),
      fc.nat(6),
      fc.boolean(),
      async (before, then, made, quorum, last, isTaken) => {
        const after = { ...then, users: [...then.users, ...made] };
        const scene = await newScene(quorum);
        const { files } = scene;
        files.write({ ...before, users: before.users.map((user) => ({ ...user, tags: [] })) });
        await carryOut(scene, files.service(), nothing);
        // One user at a time, which is always possible.
        for (const user of before.users) {
          files.write({ ...before, users: [user] });
          await carryOut(scene, files.service(), nothing);
        }
        files.write(before);
        assert.deepEqual((await files.plan(PRUNE)).steps, [], 'nothing to do');
        const old = await allowedIn(scene);

        files.write(after);
        const between: Set<string>[] = [];
        const seen = async () => void between.push(await allowedIn(scene));
        try {
          await carryOut(scene, watched(files.service(), last, isTaken, quorum ? nothing : seen), seen);
        } catch (error) {
          if (error instanceof UsageError && /one user or one tag at a time/.test(error.message)) return;
          if (!(error instanceof Killed)) throw error;
          killed += 1;
          await carryOut(scene, watched(files.service(), -1, false, quorum ? nothing : seen), seen);
        }
        assert.deepEqual((await files.plan(PRUNE)).steps, [], 'nothing to do');
        const { body } = await scene.root.query('list_policies');
        const names = body.policies.map((p: { policyName: string }) => p.policyName);
        assert.deepEqual(names.toSorted(), after.policies.map(({ name }) => name).toSorted());
        const now = await allowedIn(scene);
        for (const [i, allowed] of between.entries())
          for (const sample of allowed) assert.ok(old.has(sample) || now.has(sample), `request ${i + 1} allowed ${sample}`);
      },
    ),
    { numRuns: amount(5, 8, 200) },
  );
  assert.ok(killed > 0);
});

const DENY_A = "approvers.any(user, user.id == '{{user:Ann}}')";
const CREATES = "activity.kind == 'CREATE_WALLET'";

test('an apply that is killed at any request goes on with the same policies', async () => {
  for (let last = 0, isKilled = true; isKilled; last += 1) {
    const { files, root } = await newScene();
    files.write({
      policies: [
        { name: 'A', effect: 'ALLOW', condition: CREATES },
        { name: 'D', effect: 'DENY', consensus: DENY_A },
      ],
    });
    await apply(await files.plan([]), files.service());
    const condition = `${CREATES} || activity.kind == 'CREATE_USERS'`;
    const deny = { name: 'D', effect: 'DENY', consensus: tagged('new') };
    files.write({ tags: ['new'], policies: [{ name: 'A', effect: 'ALLOW', condition }, deny] });
    const names = async () =>
      (await root.query('list_policies')).body.policies.map((p: { policyName: string }) => p.policyName).toSorted();
    try {
      await apply(
        await files.plan([]),
        watched(files.service(), last, true, async () => {}),
      );
      isKilled = false;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      await apply(await files.plan([]), files.service());
    }
    assert.deepEqual(await names(), ['A', 'D'], `killed after request ${last + 1}`);
    assert.deepEqual((await files.plan([])).steps, []);
  }
});

test('a tag that a kept ALLOW reads changes after the approvals of all other tags', async () => {
  const { clients } = await instance.newSubOrganization('Two', 2, 2);
  const [first, second] = [clients[0]!, clients[1]!];
  const files = newFolder(first);
  const rounds: string[][] = [];
  /** Approves what waits, the last request first. */
  const sleep = async () => {
    const filterByStatus = ['ACTIVITY_STATUS_CONSENSUS_NEEDED'];
    const { activities } = (await first.query('list_activities', { filterByStatus })).body;
    rounds.push(activities.map(({ intent }: { intent: object }) => JSON.stringify(Object.values(intent)[0])));
    for (const { fingerprint } of activities) resultOf(await second.submit('APPROVE_ACTIVITY', { fingerprint }), '');
  };
  const wait = async () =>
    applied(await files.plan([]), { service: files.service(), waitMs: 60_000, now: Date.now, sleep, tell: () => {} });
  const users = ['Ann', 'Ben'].map((name) => ({ name, email: `${name}@two.example` }));
  const allow = { name: 'A', effect: 'ALLOW', consensus: tagged('a') };
  files.write({ tags: TAGS, users, policies: [allow] });
  await wait();
  rounds.length = 0;
  const cid = { name: 'Cid', email: 'cid@two.example', tags: ['a'] };
  const all = [...users.map((user) => ({ ...user, tags: TAGS })), cid];
  // What a plan that goes on after the DENY would refuse is refused at once.
  files.write({ tags: TAGS, users: all, policies: [allow, { name: 'D', effect: 'DENY', consensus: tagged('b') }] });
  await assert.rejects(wait, /one user or one tag at a time/);
  files.write({ tags: TAGS, users: all, policies: [allow] });
  await wait();
  const { userTags } = (await first.query('list_user_tags')).body;
  const [a, b] = TAGS.map((name) => userTags.find(({ tagName }: { tagName: string }) => tagName === name).tagId);
  assert.deepEqual(
    rounds.map((round) =>
      round.map((text) => [`"userTagId":"${b}"`, `"userTagId":"${a}"`, 'Cid'].findIndex((part) => text.includes(part))),
    ),
    [[0], [1], [2]],
  );
});

test('a pruned tag is deleted once no policy reads its id, in capitals too', async () => {
  const { clients } = await instance.newSubOrganization('Tags', 1, 1);
  const client = clients[0]!;
  const files = newFolder(client);
  files.write('tags: [old]\n');
  assert.equal((await files.run('apply', '--yes')).code, 0);
  const tags = async () => (await client.query('list_user_tags')).body.userTags;
  const id: string = (await tags())[0].tagId;
  const consensus = `approvers.any(u, u.tags.contains('${id.toUpperCase()}'))`;
  files.write({ tags: [], policies: [{ name: 'Kept', effect: 'DENY', consensus }] });
  const { code, err } = await files.run('apply', '--yes', '--prune=tags');
  assert.deepEqual([code, err], [2, 'the tag "old" cannot be deleted: the policy "Kept" may read it\n']);
  files.write('tags: []\n');
  assert.equal((await files.run('apply', '--yes', '--prune=tags')).code, 0);
  assert.deepEqual(await tags(), []);
});
