import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { weiControl } from '../../activities/velocity-controls/spends.ts';
import { ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newFolder } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;

let walletId: string;
before(async () => {
  const made = await root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] });
  ({ walletId } = resultOf(made, 'createWalletResult'));
  const users = ['Ann', 'Twin', 'Twin'].map((name) => ({
    ...userWith(name, []),
    userEmail: `${name}@example.com`,
    userTags: [],
  }));
  resultOf(await root.submit('CREATE_USERS_V4', { users: users.slice(0, 2) }), 'createUsersResult');
  resultOf(
    await root.submit('CREATE_USERS_V4', { users: users.slice(2).map((u) => ({ ...u, userEmail: 'x@example.com' })) }),
    'createUsersResult',
  );
});

const FILE = `
tags: [treasurer]
users:
  - { name: Ann, tags: [treasurer] }
  - { name: Ben, email: ben@example.com, tags: [treasurer] }
policies:
  - name: Treasurers sign
    effect: ALLOW
    condition: activity.action == 'SIGN' && wallet.id == '{{wallet:Main}}'
    consensus: approvers.any(user, user.tags.contains('{{tag:treasurer}}'))
  - name: Not Ben
    effect: DENY
    consensus: approvers.any(user, user.id == '{{user:Ben}}')
`;

const policies = async () => (await root.query('list_policies')).body.policies;

test('plan shows what apply then does, and afterwards there is nothing to do', async () => {
  const files = newFolder(root);
  files.write(FILE);
  const shown = await files.run('plan');
  assert.deepEqual([shown.code, shown.err], [1, '']);
  assert.match(shown.out, /1\. create tag "treasurer" \(allowed\)\n/);
  assert.match(shown.out, /\+ condition: activity\.action == 'SIGN' && wallet\.id == '\{\{wallet:Main\}\}'\n/);
  assert.match(shown.out, /"Treasurers sign": no difference in \d+ past activities\n/);
  const digest = /^Plan (sha256:[0-9a-f]{64})$/m.exec(shown.out)![1]!;
  assert.equal((await policies()).length, 0, 'plan changes nothing');

  const done = await files.run('apply', '--digest', digest);
  assert.deepEqual([done.code, done.err], [0, '']);
  const [deny, allow] = await policies();
  assert.deepEqual([deny.policyName, allow.policyName], ['Not Ben', 'Treasurers sign']);
  const [tag] = (await root.query('list_user_tags')).body.userTags;
  assert.match(allow.condition, new RegExp(walletId));
  assert.match(allow.consensus, new RegExp(tag.tagId));
  const users: { userName: string; userId: string; userTags: string[] }[] = (await root.query('list_users')).body.users;
  const ben = users.find(({ userName }) => userName === 'Ben')!;
  assert.match(deny.consensus, new RegExp(ben.userId));
  assert.deepEqual(
    users.filter(({ userTags }) => userTags.includes(tag.tagId)).map(({ userName }) => userName),
    ['Ann', 'Ben'],
  );
  assert.deepEqual(await files.run('plan'), { code: 0, out: `Organization ${root.organizationId}\nNothing to do.\n`, err: '' });
  assert.equal((await files.run('apply')).code, 0);

  const stale = await files.run('apply', '--digest', digest);
  assert.equal(stale.code, 1);
  assert.match(stale.err, /^the files or the organization have changed since the plan sha256:/);
});

test('a renamed policy is deleted and created, and the plan says so', async () => {
  const files = newFolder(root);
  files.write(FILE.replace('Treasurers sign', 'Signing'));
  assert.match((await files.run('plan')).out, /"Signing" is created with the texts of "Treasurers sign", which stays/);
  const pruned = await files.run('plan', '--prune=policies', '--json');
  const { requests, notes } = JSON.parse(pruned.out);
  assert.match(notes[0], /"Signing" is created with the texts of "Treasurers sign", which is deleted\.$/);
  assert.deepEqual(
    requests.map(({ title }: { title: string }) => title),
    ['delete 1 ALLOW policy', 'create 1 ALLOW policy'],
  );
  assert.equal((await files.run('apply', '--yes', '--prune=policies')).code, 0);
  assert.deepEqual(
    (await policies()).map((p: { policyName: string }) => p.policyName),
    ['Not Ben', 'Signing'],
  );
});

test('the plan names members of a tag that a new ALLOW reads and no file gives them', async () => {
  const files = newFolder(root);
  const consensus = "approvers.any(u, u.tags.contains('{{tag:treasurer}}'))";
  files.write({
    tags: ['treasurer'],
    users: [{ name: 'Ann', tags: ['treasurer'] }],
    policies: [{ name: 'N', effect: 'ALLOW', consensus }],
  });
  assert.match(
    (await files.run('plan')).out,
    /note: The policy "N" may read the tag "treasurer", which no file gives to its members "Ben"\.\n/,
  );
});

test('a control is created, never changed in place, and deleted when pruned', async () => {
  const files = newFolder(root);
  const control = weiControl('daily', 10n ** 18n, { countersign: { scope: { walletIds: ['{{wallet:Main}}'] } } });
  files.write({ controls: [control] });
  assert.equal((await files.run('apply', '--yes')).code, 0);
  assert.equal((await files.run('plan')).code, 0);
  files.write({ controls: [weiControl('daily', 10n ** 17n, { countersign: { scope: { walletIds: ['{{wallet:Main}}'] } } })] });
  const changed = await files.run('plan');
  assert.equal(changed.code, 2);
  assert.match(
    changed.err,
    /all\.yaml:1:\d+: the control "daily" differs .* Give it a new identifier: the new control starts at zero/,
  );
  files.write({ controls: [] });
  assert.equal((await files.run('apply', '--yes', '--prune=controls')).code, 0);
  assert.deepEqual((await root.query('list_velocity_controls')).body.velocityControls, []);
  files.write({ controls: [weiControl('lenient', 1n, { countersign: { unreadable: 'COUNT_ONLY_READABLE' } })] });
  assert.match((await files.run('plan')).out, /note: The control "lenient" lets through what cannot be read, such as a digest/);
});

test('a control with a delay for its removal is pruned once, and a policy may not read a pruned one', async () => {
  const { clients } = await instance.newSubOrganization('Delayed', 1, 1);
  const client = clients[0]!;
  const files = newFolder(client);
  const made = await client.submit('CREATE_USER_TAG', { userTagName: 'scoped', userIds: [] });
  const { userTagId } = resultOf(made, 'createUserTagResult');
  const scope = { userTagIds: [userTagId.toUpperCase()] };
  const control = weiControl('slow', 1n, { countersign: { removalDelay: '3600', scope } });
  const reader = { name: 'Reader', effect: 'DENY', condition: '!controls.slow' };
  files.write({ controls: [control], policies: [reader] });
  assert.equal((await files.run('apply', '--yes')).code, 0);
  assert.deepEqual((await files.run('plan')).code, 0, 'an id in capitals is no difference');
  files.write({ controls: [], policies: [reader] });
  const read = await files.run('apply', '--yes', '--prune=controls');
  assert.deepEqual([read.code, read.err], [2, 'the control "slow" cannot be deleted: the policy "Reader" reads it\n']);
  files.write({ tags: [], controls: [], policies: [] });
  const scoped = await files.run('plan', '--prune=policies,tags,controls');
  assert.equal(scoped.err, 'the tag "scoped" cannot be deleted: the control "slow" may read it\n');
  const done = await files.run('apply', '--yes', '--prune=policies,controls');
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(done.out, /delete control "slow", which binds for 3600 s more/);
  const after = await files.run('plan', '--prune=policies,controls');
  assert.equal(after.code, 0);
  assert.match(after.out, /note: The control "slow" binds until it is removed at 20\S+Z\.\nNothing to do\.\n/);
  files.write({ controls: [control] });
  assert.match(
    (await files.run('plan')).err,
    /all\.yaml:1:\d+: the control "slow" is removed at 20\S+Z\. Keep it by COUNTERSIGN_KEEP_VELOCITY_CONTROL, with the id [0-9a-f-]{36}, or/,
  );
});

test('wrong files are refused with line and column, and nothing is sent', async () => {
  const cases: [string, RegExp][] = [
    ['policies:\n  - name: A\n    effect: ALLOW\n    conditon: "true"\n', /all\.yaml:4:5: unknown member "conditon"\n$/],
    [
      'policies:\n  - { name: A, effect: ALLOW }\n  - { name: A, effect: DENY }\n',
      /all\.yaml:3:13: another policy has the name "A": .*all\.yaml:2:13\n$/,
    ],
    [
      'organization: 0191f3c2-0000-7000-8000-000000000000\ntags: []\n',
      /all\.yaml:1:15: this file is for the organization 0191f3c2-/,
    ],
    [
      'policies:\n  - name: A\n    effect: DENY\n    consensus: approvers.any(u, u.id == "{{user:Twin}}")\n',
      /all\.yaml:4:16: the user "Twin" is ambiguous: write the id/,
    ],
    [
      'policies:\n  - name: A\n    effect: DENY\n    condition: wallet.id == "{{walet:Main}}"\n',
      /all\.yaml:4:16: a name is written as/,
    ],
    [
      'policies:\n  - name: A\n    effect: DENY\n    condition: wallet.ids == "1"\n',
      /all\.yaml:4:16: {2}.*A: condition, line 1, column 8/,
    ],
    ['policies:\n  - [\n', /all\.yaml:3:1: /],
    ['users:\n  - { name: Root user, tags: [x] }\ntags: [x]\n', /all\.yaml:2:30: "Root user" is the caller/],
    ['users:\n  - { name: Eve }\n', /all\.yaml:2:13: the new user "Eve" needs an email/],
    ['users:\n  - { name: Ann, email: other@example.com }\n', /all\.yaml:2:25: the user "Ann" has another email/],
    ['controls:\n  - name: C\n    identifier: c\n    limit: 1\n', /all\.yaml:4:5: unknown member "limit"/],
  ];
  for (const [text, message] of cases) {
    const files = newFolder(root);
    files.write(text);
    const { code, out, err } = await files.run('apply', '--yes');
    assert.deepEqual([code, out], [2, ''], err);
    assert.match(err, message);
  }
  const files = newFolder(root);
  files.write('tags: [unconfirmed]\n');
  for (const [args, message] of [
    [['--prune=users'], /^--prune takes policies, tags, controls/],
    [['--prune=policies'], /^--prune=policies would delete all policies/],
    [[], /^there is no terminal to confirm on/],
  ] as const)
    assert.match((await files.run('apply', ...args)).err, message);
});

test('where a quorum must agree, apply ends with code 3, asks once, and goes on afterwards', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Quorum', 2, 2);
  const [first, second] = [clients[0]!, clients[1]!];
  const files = newFolder(first);
  files.write(
    'tags: [payer]\npolicies:\n  - { name: A, effect: DENY, consensus: "approvers.any(u, u.tags.contains(\'{{tag:payer}}\'))" }\n',
  );
  assert.match((await files.run('plan')).out, /create tag "payer" \(waits for approvals\)/);
  const waiting = await files.run('apply', '--yes');
  assert.equal(waiting.code, 3, waiting.err);
  const [, fingerprint] = /approve_activity '\{"fingerprint":"(sha256:[0-9a-f]+)"\}' --organization /.exec(waiting.out)!;
  const [, digest] = /^Plan (sha256:\S+)$/m.exec((await files.run('plan')).out)!;
  assert.match(
    (await files.run('apply', '--digest', digest!)).out,
    /\nThen run plan again: it shows what is left, and the digest /,
  );
  const again = await files.run('apply', '--yes');
  assert.deepEqual([again.code, again.out], [3, waiting.out], 'the waiting request is found, not asked again');
  assert.match((await files.run('plan')).out, /create tag "payer" \(sent, and waits for approvals: [0-9a-f-]{36}\)/);
  const others = newFolder(first);
  others.write('tags: []\n');
  const outdated = (await others.run('plan')).out;
  assert.match(outdated, /note: ACTIVITY_TYPE_CREATE_USER_TAG [0-9a-f-]{36} waits for approvals, and is not in this plan\. /);
  assert.ok(outdated.includes(`reject_activity '{"fingerprint":"${fingerprint}"}' --organization ${organizationId}`));
  assert.match(outdated, /Nothing to do\./);
  resultOf(await second.submit('APPROVE_ACTIVITY', { fingerprint }), 'createUserTagResult');
  const next = await files.run('apply', '--yes');
  assert.equal(next.code, 3);
  const [, other] = /"fingerprint":"(sha256:[0-9a-f]+)"/.exec(next.out)!;
  assert.equal(
    (await second.send(submitPath('APPROVE_ACTIVITY'), second.bodyOf('APPROVE_ACTIVITY', { fingerprint: other }))).status,
    200,
  );
  assert.equal((await files.run('plan')).code, 0);
  assert.equal((await first.as(first.keys, organizationId).query('list_policies')).body.policies.length, 1);
});

test('a user without permission is refused before the first request', async () => {
  const { client } = await instance.newUser('Outsider');
  const files = newFolder(client);
  files.write('tags: [mine]\n');
  const { code, err } = await files.run('apply', '--yes');
  assert.equal(code, 1);
  assert.match(err, /^nothing was done: the service would refuse this to the caller: create tag "mine"\n$/);
});

test('a caller is told of a right that is lost, and refused where a later request needs it', async () => {
  const { clients } = await instance.newSubOrganization('Own right', 1, 1);
  const owner = clients[0]!;
  const keys = newKeys();
  const made = await owner.submit('CREATE_USERS_V4', { users: [{ ...userWith('Editor', [keys]), userTags: [] }] });
  const [editorId] = resultOf(made, 'createUsersResult').userIds;
  const edits = {
    name: 'Edits',
    effect: 'ALLOW',
    condition: "activity.resource == 'POLICY'",
    consensus: `approvers.any(user, user.id == '${editorId}')`,
  };
  const byOwner = newFolder(owner);
  byOwner.write({ policies: [edits] });
  assert.equal((await byOwner.run('apply', '--yes')).code, 0);

  const files = newFolder(owner.as(keys, owner.organizationId));
  const added = { name: 'Added', effect: 'ALLOW', condition: "activity.kind == 'CREATE_WALLET'" };
  // The old ALLOW is deleted before the new one is created.
  files.write({ policies: [added] });
  const early = await files.run('apply', '--yes', '--prune=policies');
  assert.equal(early.code, 2);
  assert.match(
    early.err,
    /^request 1 \(delete 1 ALLOW policy\) would take from the caller the right to request 2: use the credentials of another/,
  );
  assert.equal((await owner.query('list_policies')).body.policies.length, 1, 'nothing was sent');

  files.write({ policies: [] });
  const last = await files.run('plan', '--prune=policies');
  assert.match(last.out, /note: The caller loses the right to request 1, and could not take this plan back\.\n/);
  assert.doesNotMatch((await byOwner.run('plan', '--prune=policies')).out, /loses the right/, 'a root user loses none');
  files.write({ policies: [edits, added] });
  assert.doesNotMatch((await files.run('plan')).out, /loses the right/);
});
