import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORIGIN, SoftAuthenticator } from '../../support/authenticator.ts';
import { type Answer, type Client, post, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { marksOf } from '../tokens.ts';
import { aggregation, method, operator, velocityControl } from '../velocity-controls/support.ts';
import { invitation, type Link, linkOf, mailsOf } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;
const me = instance.credentials.userId;

const TYPE = 'ACCEPT_INVITATION_V2';
const KEY = 'acceptInvitationResult';
const PATH = submitPath(TYPE);

async function invited(name: string, client: Client = root, sender = me): Promise<Link> {
  const made = await client.submit('CREATE_INVITATIONS', { invitations: [invitation(name, sender)] });
  const [invitationId] = resultOf(made, 'createInvitationsResult').invitationIds;
  return linkOf((await mailsOf(instance)).find((mail) => linkOf(mail).invitationId === invitationId)!);
}

const accepting = ({ invitationId, userId, secret }: Link, passkey: SoftAuthenticator, more: object = {}) => ({
  invitationId,
  userId,
  authenticator: passkey.register({ challenge: secret }),
  ...more,
});

/** Stamped by the passkey that the parameters bring. */
const sent = (body: string, passkey: SoftAuthenticator): Promise<Answer> => post(`${root.url}${PATH}`, body, passkey.stamp(body));

const accept = (link: Link, passkey = new SoftAuthenticator(), more: object = {}): Promise<Answer> =>
  sent(root.bodyOf(TYPE, accepting(link, passkey, more), { organizationId: link.organizationId }), passkey);

async function ask(name: string, parameters: object, passkey: SoftAuthenticator): Promise<Answer> {
  const body = JSON.stringify({ organizationId: root.organizationId, ...parameters });
  return post(`${root.url}/public/v1/query/${name}`, body, passkey.stamp(body));
}

const userOf = async ({ userId }: Link) => (await root.query('get_user', { userId })).body.user;

const rowsOf = async (table: string) => Number((await instance.raw(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);

const stateOf = async ({ invitationId }: Link) =>
  (await instance.raw('SELECT status, secret FROM invitations WHERE id = $1', invitationId))[0]!;

for (const [type, authenticator] of [
  [
    'ACCEPT_INVITATION',
    (passkey: SoftAuthenticator, { userId, secret }: Link) => passkey.registerV1(userId, { challenge: secret }),
  ],
  ['ACCEPT_INVITATION_V2', (passkey: SoftAuthenticator, { secret }: Link) => passkey.register({ challenge: secret })],
] as const)
  test(`${type}: the invited user gets the passkey that stamps the request, and may act from then on`, async () => {
    const link = await invited(`Guest of ${type}`);
    const passkey = new SoftAuthenticator();
    const { invitationId, userId, secret } = link;
    const parameters = { invitationId, userId, authenticator: authenticator(passkey, link) };
    const body = root.bodyOf(type, parameters);
    const answer = await sent(body, passkey);
    assert.deepEqual(resultOf(answer, KEY), { invitationId, userId });
    const { activity } = answer.body;
    assert.equal(activity.type, `ACTIVITY_TYPE_${type}`);
    const intentKey = `acceptInvitationIntent${type.endsWith('V2') ? 'V2' : ''}`;
    assert.deepEqual(activity.intent, { [intentKey]: parameters });
    assert.deepEqual(
      activity.votes.map((vote: { userId: string; message: string; scheme: string }) => [vote.userId, vote.message, vote.scheme]),
      [[userId, body, 'SIGNATURE_SCHEME_TK_WEBAUTHN']],
    );
    assert.deepEqual(await stateOf(link), { status: 'INVITATION_STATUS_ACCEPTED', secret: null });
    const user = await userOf(link);
    assert.deepEqual(
      user.authenticators.map((one: { credentialId: string }) => one.credentialId),
      [passkey.id],
    );
    assert.equal((await ask('whoami', {}, passkey)).body.userId, userId);

    // Its sender always sees it as it was sent; others do not see its secrets.
    assert.deepEqual((await sent(body, passkey)).body, answer.body);
    const own = (await ask('get_activity', { activityId: activity.id }, passkey)).body.activity;
    assert.deepEqual([own.intent, own.votes[0].message], [activity.intent, body]);
    const theirs = await root.query('get_activity', { activityId: activity.id });
    assert.ok(!theirs.text.includes(secret));
    assert.equal(theirs.body.activity.votes[0].message, '');
    const shown = theirs.body.activity.intent[intentKey];
    assert.deepEqual([shown.invitationId, shown.authenticator.challenge], [invitationId, '']);
    const list = await root.query('list_activities', { paginationOptions: { limit: '100' } });
    assert.ok(!list.text.includes(secret));
  });

test('a limit over time refuses a newcomer by its code alone', async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Limited', 1, 1);
  const [client] = clients as [Client];
  const { userId } = (await client.query('whoami')).body;
  const link = await invited('Limited', client, userId);
  const control = velocityControl({
    identifier: 'no_guests',
    countersign: { enforcement: 'ALWAYS' },
    dataSource: { activityExecution: { filter: { activity: [{ activityType: `ACTIVITY_TYPE_${TYPE}` }] } } },
    aggregation: aggregation({ method: method('COUNT'), operator: operator('LESS_THAN'), threshold: '1' }),
  });
  resultOf(await client.submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
  const answer = await accept({ ...link, organizationId });
  assert.equal(answer.status, 403, answer.text);
  assert.match(answer.text, /VELOCITY_CONTROL_EXCEEDED/);
  assert.doesNotMatch(answer.text, /no_guests|bucket|threshold/);
});

test('wrong, used, expired, revoked, of somebody else or of nobody: all are answered alike, and leave nothing', async () => {
  const used = await invited('Used');
  resultOf(await accept(used), KEY);
  const expired = await invited('Expired');
  instance.clock.advance(7 * 24 * 60 * 60 * 1000 + 1);
  const revoked = await invited('Revoked');
  resultOf(await root.submit('DELETE_INVITATION', { invitationId: revoked.invitationId }), 'deleteInvitationResult');
  const deleted = await invited('Deleted');
  resultOf(await root.submit('DELETE_USERS', { userIds: [deleted.userId] }), 'deleteUsersResult');
  const open = await invited('Open');
  const sub = await instance.newSubOrganization('Below', 1, 1);
  const wrong: Record<string, Link> = {
    used,
    expired,
    revoked,
    deleted,
    'wrong secret': { ...open, secret: Buffer.alloc(32).toString('base64url') },
    'secret of another': { ...open, secret: used.secret },
    'no secret': { ...open, secret: 'x' },
    'another user': { ...open, userId: me },
    'no such user': { ...open, userId: NOBODY },
    'no such invitation': { ...open, invitationId: NOBODY },
    'another organization': { ...open, organizationId: sub.organizationId },
    'no such organization': { ...open, organizationId: NOBODY },
  };
  const tables = ['activities', 'audit', 'authenticators', 'users', 'outbox'];
  const before = await Promise.all(tables.map(rowsOf));
  const answers = new Map<string, string>();
  for (const [why, link] of Object.entries(wrong)) {
    const answer = await accept(link);
    assert.equal(answer.status, 401, why);
    answers.set(why, answer.text);
  }
  assert.equal(new Set(answers.values()).size, 1, [...answers].join('\n'));
  assert.match([...answers.values()][0]!, /authentication failed: this invitation cannot be accepted/);
  assert.deepEqual(await Promise.all(tables.map(rowsOf)), before);
  resultOf(await accept(open), KEY);
});

test('a frozen user accepts no invitation until the freeze ends', async () => {
  const link = await invited('Frozen');
  const what = { userId: link.userId, reason: 'an alarm' };
  resultOf(await root.submit('COUNTERSIGN_FREEZE', what), 'countersignFreezeResult');
  refused(await accept(link), [401, 'UNAUTHENTICATED', /this invitation cannot be accepted/]);
  assert.equal((await userOf(link)).authenticators.length, 0);
  resultOf(await root.submit('COUNTERSIGN_UNFREEZE', what), 'countersignUnfreezeResult');
  resultOf(await accept(link), KEY);
});

test('the mail of the invitation shows that its email is the user’s, while they have it', async () => {
  const verified = async ({ userId }: Link) => (await marksOf(instance, userId)).email;
  const link = await invited('Shown');
  assert.equal(await verified(link), false);
  resultOf(await accept(link), KEY);
  assert.equal(await verified(link), true);
  const moved = await invited('Moved');
  const update = await root.submit('UPDATE_USER_EMAIL', { userId: moved.userId, userEmail: 'elsewhere@example.com' });
  resultOf(update, 'updateUserEmailResult');
  resultOf(await accept(moved), KEY);
  assert.equal(await verified(moved), false);
});

test('an invitation is good until it expires', async () => {
  const link = await invited('Last minute');
  instance.clock.advance(7 * 24 * 60 * 60 * 1000 - 60_000);
  resultOf(await accept(link), KEY);
});

test("a caller with the invitation's secret must prove to have the passkey, and a failure costs nothing", async () => {
  const link = await invited('Careful');
  const passkey = new SoftAuthenticator();
  const body = root.bodyOf(TYPE, accepting(link, passkey));
  const before = await rowsOf('activities');
  const not = (answer: Answer, code: string, text: RegExp, status = 401) => refused(answer, [status, code, text]);
  not(await post(`${root.url}${PATH}`, body), 'SIGNATURE_MISSING', /without a stamp/);
  not(await root.send(PATH, body), 'CREDENTIAL_NOT_FOUND', /must be stamped by the passkey in its parameters/);
  not(await sent(body, new SoftAuthenticator()), 'SIGNATURE_INVALID', /could not verify WebAuthN signature/);
  not(await sent(body, new SoftAuthenticator('ES256', passkey.credentialId)), 'SIGNATURE_INVALID', /WebAuthN signature/);
  const other = passkey.stamp(`${body} `);
  not(await post(`${root.url}${PATH}`, body, other), 'SIGNATURE_INVALID', /WebAuthN signature/);
  const elsewhere = passkey.stamp(body, { rpId: 'other.example' });
  not(await post(`${root.url}${PATH}`, body, elsewhere), 'SIGNATURE_INVALID', /WebAuthN signature/);
  const signedFor = passkey.register({ challenge: link.secret, signedChallenge: Buffer.alloc(32).toString('base64url') });
  const misused = await accept(link, passkey, { authenticator: signedFor });
  refused(misused, [400, 'REQUEST_INVALID', /invalid authenticator attestation/], 'parameters.authenticator.challenge');
  const stale = root.bodyOf(TYPE, accepting(link, passkey), { timestampMs: String(instance.clock.now() - 3_700_000) });
  not(await sent(stale, passkey), 'REQUEST_INVALID', /too old/, 400);
  assert.equal(await rowsOf('activities'), before);
  assert.equal((await stateOf(link)).status, 'INVITATION_STATUS_CREATED');
  resultOf(await sent(body, passkey), KEY);
});

test('bad parameters are named', async () => {
  const link = await invited('Named');
  const passkey = new SoftAuthenticator();
  const { attestation, ...authenticator } = passkey.register({ challenge: link.secret });
  for (const [more, field, text] of [
    [{ invitationId: 'x' }, 'parameters.invitationId', /must be a UUID/],
    [{ userId: undefined }, 'parameters.userId', /is required/],
    [{ authenticator: undefined }, 'parameters.authenticator', /is required/],
    [{ authenticator }, 'parameters.authenticator.attestation', /missing parameter: user authenticator attestation/],
    [
      { authenticator: { ...authenticator, attestation: { ...attestation, attestationObject: 'AAAA' } } },
      'parameters.authenticator.attestation.attestationObject',
      /invalid authenticator attestation/,
    ],
  ] as const)
    refused(await accept(link, passkey, more), [400, 'REQUEST_INVALID', text], field);
});

test('a DENY refuses, an ALLOW that asks for others does not hold anybody up', async () => {
  const policy = (policyName: string, effect: string, condition: string, consensus: string) =>
    root.submit('CREATE_POLICY_V3', { policyName, effect, condition, consensus, notes: '' });
  const link = await invited('Guarded');
  const kind = "activity.kind == 'ACCEPT_INVITATION'";
  resultOf(await policy('two must agree', 'EFFECT_ALLOW', kind, 'approvers.count() >= 2'), 'createPolicyResult');
  const deny = resultOf(await policy('closed', 'EFFECT_DENY', kind, ''), 'createPolicyResult');
  const before = await rowsOf('activities');
  refused(await accept(link), [403, 'REQUEST_NOT_AUTHORIZED', new RegExp(`policies denied this action: ${deny.policyId}`)]);
  assert.equal(await rowsOf('activities'), before, 'who is not let in writes nothing');
  resultOf(await root.submit('DELETE_POLICY', { policyId: deny.policyId }), 'deletePolicyResult');
  resultOf(await accept(link), KEY);
});

test('the origins of the top-level organization hold for its sub-organizations’ invited users', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Origins', 1, 1);
  const link = await invited('Below', clients[0], userIds[0]);
  const set = (value: string) => root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value });
  resultOf(await set('https://elsewhere.example'), 'setOrganizationFeatureResult');
  refused(await accept(link), [400, 'REQUEST_INVALID', /does not allow passkeys of its origin/]);
  resultOf(await set(ORIGIN), 'setOrganizationFeatureResult');
  resultOf(await accept(link), KEY);
});

test('the IP allow-list of the organization holds for newcomers, and only who was invited learns of it', async () => {
  const link = await invited('Far away');
  const set = async (parameters: object) => resultOf(await root.submit('SET_IP_ALLOWLIST', parameters), 'setIpAllowlistResult');
  // The root user's own key has a list of its own, with this machine on it.
  await set({ publicKey: root.keys.publicKey, rules: [{ cidr: '127.0.0.1' }, { cidr: '::1' }] });
  await set({ enabled: true, rules: [{ cidr: '192.0.2.0/24' }] });
  refused(await accept(link), [403, 'REQUEST_NOT_AUTHORIZED', /^request not authorized$/]);
  refused(await accept({ ...link, secret: 'x' }), [401, 'UNAUTHENTICATED', /cannot be accepted/]);
  await set({ enabled: false });
  resultOf(await accept(link), KEY);
});

test('of several who accept at once, one does; the same body is one activity', async () => {
  const link = await invited('Raced');
  const passkeys = Array.from({ length: 4 }, () => new SoftAuthenticator());
  const answers = await Promise.all(passkeys.map((passkey) => accept(link, passkey)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  assert.equal((await userOf(link)).authenticators.length, 1);

  const again = await invited('Repeated');
  const passkey = new SoftAuthenticator();
  const body = root.bodyOf(TYPE, accepting(again, passkey));
  const same = await Promise.all(Array.from({ length: 4 }, () => sent(body, passkey)));
  assert.deepEqual(
    same.map((answer) => resultOf(answer, KEY)),
    Array(4).fill({ invitationId: again.invitationId, userId: again.userId }),
  );
  assert.equal(new Set(same.map(({ body: { activity } }) => activity.id)).size, 1);
  assert.equal((await userOf(again)).authenticators.length, 1);
});

test('no row has the secret in any form, before and after it is used', async () => {
  const link = await invited('Canary');
  const raw = Buffer.from(link.secret, 'base64url');
  const forms = [link.secret, raw.toString('hex'), raw.toString('base64'), raw.toString('latin1')];
  // The client data of a registration holds the challenge inside base64url, in one of three alignments.
  for (const shift of [0, 1, 2])
    forms.push(
      Buffer.from(`${' '.repeat(shift)}${link.secret}`)
        .toString('base64url')
        .slice(4, -4),
    );
  const found = async () => {
    const tables = await instance.raw(
      instance.databaseUrl === undefined
        ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
        : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    assert.ok(tables.length > 20);
    const hits: string[] = [];
    for (const { name } of tables)
      for (const row of await instance.raw(`SELECT * FROM "${name}"`))
        for (const [column, value] of Object.entries(row)) {
          const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
          if (forms.some((form) => bytes.includes(form) || bytes.includes(Buffer.from(form, 'latin1'))))
            hits.push(`${name}.${column}`);
        }
    return hits;
  };
  assert.deepEqual(await found(), []);
  const answer = await accept(link);
  resultOf(answer, KEY);
  assert.ok(answer.text.includes(link.secret), 'whoever sent it sees it');
  assert.deepEqual(await found(), []);
});

test('an invitation adds no passkey beyond the limit, and stays open', async () => {
  const link = await invited('Guest with many passkeys');
  const authenticators = Array.from({ length: 10 }, () => new SoftAuthenticator().register());
  const made = await root.submit('CREATE_AUTHENTICATORS_V2', { userId: link.userId, authenticators });
  const { authenticatorIds } = resultOf(made, 'createAuthenticatorsResult');
  assert.match((await accept(link)).text, /user has exceeded maximum authenticators: at most 10 \(LIMIT_AUTHENTICATORS\)/);
  resultOf(
    await root.submit('DELETE_AUTHENTICATORS', { userId: link.userId, authenticatorIds: authenticatorIds.slice(0, 1) }),
    'deleteAuthenticatorsResult',
  );
  resultOf(await accept(link), KEY);
});
