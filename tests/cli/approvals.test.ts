/** The second screen: what waits, read here from the signed body, and votes that cover exactly that. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { reviewOf } from '../../review/index.ts';
import { sharedPair } from '../activities/support.ts';
import { corpus } from '../review/corpus.ts';
import { cli } from '../support/cli.ts';
import { type Client, newKeys, submitPath } from '../support/client.ts';
import { NOBODY } from '../support/refusals.ts';

const { instance, pair } = await sharedPair();
const [first, second] = pair.clients;
const folder = mkdtempSync(join(tmpdir(), 'countersign-approvals-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = ({ keys }: Client, name: string): string => {
  const file = join(folder, `${name}.json`);
  const made = { organizationId: pair.organizationId, apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey };
  writeFileSync(file, JSON.stringify(made), { mode: 0o600 });
  return file;
};
const files = { first: fileOf(first, 'first'), second: fileOf(second, 'second') };
const approvals = (...args: string[]) => cli(['approvals', ...args, '--url', instance.url, '--credentials', files.second]);

/** An activity of the first user that waits for the second. */
async function waiting(
  type = 'CREATE_USER_TAG',
  parameters: object = { userTagName: `tag ${performance.now()}`, userIds: [] },
  sender = first,
) {
  const body = sender.bodyOf(type, parameters);
  const { activity } = (await sender.send(submitPath(type), body)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  return { id: activity.id as string, body };
}
const statusOf = async (activityId: string): Promise<string> =>
  (await first.query('get_activity', { activityId })).body.activity.status.replace('ACTIVITY_STATUS_', '');

const POLICY = {
  policyName: 'All \u202e',
  effect: 'EFFECT_ALLOW',
  condition: "activity.action == 'SIGN'\n&& true",
  consensus: 'true',
  notes: '',
};

test('what waits is listed with its title, for its approver apart', async () => {
  const { id } = await waiting('CREATE_POLICY_V3', POLICY);
  const { code, out, err } = await approvals('list');
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^Waits for you\n {2}20\S+Z {2}\S+ {2}Create policy “All ⟨U\+202E⟩” {2}\[\d red warnings\]\n/);
  const listed = JSON.parse((await approvals('list', '--json', '--limit', '1')).out);
  assert.deepEqual([listed.activities.length, listed.activities[0].activityId, listed.activities[0].waitsForMe], [1, id, true]);
  const others = await cli(['approvals', 'list', '--url', instance.url, '--credentials', files.first, '--json']);
  const [own] = JSON.parse(others.out).activities;
  assert.deepEqual([own.activityId, own.waitsForMe], [id, false]);
});

test('show prints the review of the signed bytes, the votes, and what was checked', async () => {
  const { id, body } = await waiting('CREATE_POLICY_V3', POLICY);
  const { code, out, err } = await approvals('show', id);
  assert.deepEqual([code, err], [0, '']);
  const { fingerprint } = reviewOf(Buffer.from(body));
  assert.match(out, /^Create policy “All ⟨U\+202E⟩”\n {2}ACTIVITY_TYPE_CREATE_POLICY_V3\n/);
  assert.match(out, /\n {2}condition {2}activity\.action == 'SIGN'\n +\| && true\n/);
  assert.match(out, /\n {2}RED {2}Any one user of this organization can do alone what this policy allows {2}\(parameters\)\n/);
  assert.match(out, new RegExp(`\nRead here from the signed bytes\n {2}fingerprint ${fingerprint}\n`));
  assert.match(
    out,
    /\n {2}1 of 1 stamps hold, by keys that the service lists for their voters\n {2}the service says the same as the signed bytes\n$/,
  );
  const json = JSON.parse((await approvals('show', id, '--json')).out);
  assert.deepEqual(json.review, JSON.parse(JSON.stringify(reviewOf(Buffer.from(body)))));
  assert.deepEqual([json.differences, json.unchecked, json.stamps, json.service.canApprove], [[], [], 1, true]);
});

test('approve and reject stamp the fingerprint of the body, and need --yes without a terminal', async () => {
  const [approved, rejected] = [await waiting(), await waiting()];
  const asked = await approvals('approve', approved.id);
  assert.deepEqual([asked.code, await statusOf(approved.id)], [2, 'CONSENSUS_NEEDED']);
  assert.match(asked.err, /there is no terminal to confirm on: look at countersign approvals show, then give --yes\n$/);
  const dry = await approvals('approve', approved.id, '--dry-run');
  assert.deepEqual([dry.code, await statusOf(approved.id)], [0, 'CONSENSUS_NEEDED']);
  assert.match(dry.out, /the service says the same as the signed bytes\nNothing was sent\.\n$/);
  const done = await approvals('approve', approved.id, '--yes');
  assert.deepEqual([done.code, done.err, await statusOf(approved.id)], [0, '', 'COMPLETED']);
  const { fingerprint } = reviewOf(Buffer.from(approved.body));
  assert.match(done.out, new RegExp(`Approved ${fingerprint}\\. The activity is now COMPLETED\\.\n$`));
  const { votes } = (await first.query('get_activity', { activityId: approved.id })).body.activity;
  assert.equal(JSON.parse(votes[1].message).parameters.fingerprint, fingerprint);
  const no = await approvals('reject', rejected.id, '--yes');
  assert.deepEqual([no.code, await statusOf(rejected.id)], [0, 'REJECTED']);
  const late = await approvals('approve', approved.id, '--yes');
  assert.equal(late.code, 1);
  assert.match(late.err, /nothing was sent: activity \S+ waits for no approval \(ACTIVITY_STATUS_COMPLETED\)\n$/);
});

test('a transaction is read as policies see it, and approved', async () => {
  const signWith = (await agreedWallet()).addresses[0]!;
  const { parameters } = corpus.find(({ name }) => name === 'a multicall that hides an unlimited approval')!;
  const { id } = await waiting('SIGN_TRANSACTION_V2', { ...parameters, signWith });
  const { code, out, err } = await approvals('approve', id, '--yes');
  assert.deepEqual([code, err, await statusOf(id)], [0, '', 'COMPLETED']);
  assert.match(out, /^Make 2 calls by 0x/);
  assert.match(out, new RegExp(`\n {2}signs with +${signWith}\n`));
  assert.match(out, /\n {4}1\.2 to 0x3{40}: approve\(address spender, uint256 amount\)\n {6}spender \(address\): 0x5{40}\n/);
  assert.match(out, /\n {2}RED {2}0x5{40} may take all tokens of 0x3{40}, at any time {2}\(calls\[0\]\.calls\[1\]\)\n/);
});

test('what cannot be read is approved only with --unread', async () => {
  const signWith = (await agreedWallet()).addresses[0]!;
  const payload = {
    signWith,
    payload: '07'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  };
  const { id } = await waiting('SIGN_RAW_PAYLOAD_V2', payload);
  const refused = await approvals('approve', id, '--yes');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Not decoded: it may be the digest of any transaction or message/);
  assert.match(refused.err, /nothing was sent: what would be signed cannot be read here/);
  const done = await approvals('approve', id, '--yes', '--unread');
  assert.deepEqual([done.code, await statusOf(id)], [0, 'COMPLETED']);
});

test('a sign-in that names the organization above is approved, and the review says what its body names', async () => {
  const above = instance.root.organizationId;
  const { id } = await waiting('STAMP_LOGIN', { publicKey: newKeys().publicKey }, first.as(first.keys, above));
  const { code, out, err } = await approvals('approve', id, '--yes');
  assert.deepEqual([code, err, await statusOf(id)], [0, '', 'COMPLETED']);
  const note = `the body names the organization ${above}. It runs in ${pair.organizationId}, as the service says`;
  assert.ok(out.includes(`\n  not checked: ${note}\n`), out);
});

async function agreedWallet(): Promise<{ addresses: string[] }> {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  };
  const { id } = await waiting('CREATE_WALLET', { walletName: `Main ${performance.now()}`, accounts: [account] });
  assert.equal((await approvals('approve', id, '--yes')).code, 0);
  return (await first.query('get_activity', { activityId: id })).body.activity.result.createWalletResult;
}

type Vote = { message: string; signature: string; selection: string; userId: string; activityId: string };
type Answered = {
  activity: { id: string; organizationId: string; fingerprint: string; type: string; intent: object; votes: Vote[] };
};

/** A proxy that changes the answer to get_activity. It keeps what is sent to the other paths. */
async function lying(change: (answer: Answered) => void) {
  const sent: { path: string; body: string }[] = [];
  const proxy = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    sent.push({ path: request.url!, body });
    const headers = { 'content-type': 'application/json', 'x-stamp': String(request.headers['x-stamp']) };
    const answer = await fetch(instance.url + request.url, { method: 'POST', headers, body });
    let text = await answer.text();
    if (request.url!.endsWith('/get_activity')) {
      const told = JSON.parse(text);
      change(told);
      text = JSON.stringify(told);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, sent, close };
}

/** What the service would say, and how the command refuses it. */
type Lie = { change: Partial<Answered['activity']> | ((activity: Answered['activity']) => void); refusal: RegExp };

test('a service that lies about the intent, the fingerprint, a vote or the body gets no vote', async () => {
  const other = await waiting();
  const { id } = await waiting();
  const firstVote = (change: (vote: Vote) => object) => (activity: Answered['activity']) =>
    Object.assign(activity.votes[0]!, change(activity.votes[0]!));
  const lies: Record<string, Lie> = {
    intent: {
      change: { intent: { createUserTagIntent: { userTagName: 'harmless', userIds: [] } } },
      refusal: /parameters\.userTagName is not the same/,
    },
    fingerprint: {
      change: { fingerprint: reviewOf(Buffer.from(other.body)).fingerprint },
      refusal: /the fingerprint of the signed body is/,
    },
    type: { change: { type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG' }, refusal: /the signed body has the type/ },
    body: { change: firstVote(() => ({ message: other.body })), refusal: /the fingerprint of the signed body is/ },
    stamp: {
      change: firstVote(({ signature }) => ({ signature: signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })),
      refusal: /the stamp of vote 1 does not hold/,
    },
    vote: {
      change: ({ votes }) => void votes.push({ ...votes[0]!, selection: 'VOTE_SELECTION_REJECTED' }),
      refusal: /vote 2 does not name this activity/,
    },
    voter: { change: firstVote(() => ({ userId: NOBODY })), refusal: /vote 1 shows another user than its voter/ },
    activity: { change: { id: other.id }, refusal: /the service answers with another activity/ },
    organization: { change: { organizationId: NOBODY }, refusal: /the service answers with an activity of another organization/ },
    'a body that is kept back': {
      change: firstVote(() => ({ message: '' })),
      refusal:
        /cannot be reviewed: its body holds a secret, and is shown to its sender alone\n[^\n]+\n {2}countersign submit approve_activity '\{"fingerprint":"sha256:[0-9a-f]{64}"\}'/,
    },
    'no vote': { change: { votes: [] }, refusal: /has no activity with its votes/ },
  };
  for (const [name, { change, refusal }] of Object.entries(lies)) {
    const proxy = await lying(
      ({ activity }) => void (typeof change === 'function' ? change(activity) : Object.assign(activity, change)),
    );
    const { code, err } = await cli(['approvals', 'approve', id, '--yes', '--url', proxy.url, '--credentials', files.second]);
    proxy.close();
    assert.equal(code, 1, name);
    assert.match(err, refusal, name);
    assert.deepEqual(
      proxy.sent.filter(({ path }) => path.includes('/submit/')),
      [],
      name,
    );
  }
  assert.equal(await statusOf(id), 'CONSENSUS_NEEDED');
});

test('a service that shows the body of another activity gets a stamp over that body alone', async () => {
  const [asked, shown] = [await waiting(), await waiting()];
  const whole = (await second.query('get_activity', { activityId: shown.id })).body;
  const proxy = await lying((answer) => {
    answer.activity = { ...whole.activity, id: asked.id };
    for (const vote of answer.activity.votes) vote.activityId = asked.id;
  });
  const { code, out } = await cli(['approvals', 'approve', asked.id, '--yes', '--url', proxy.url, '--credentials', files.second]);
  proxy.close();
  assert.equal(code, 0);
  const { fingerprint } = reviewOf(Buffer.from(shown.body));
  assert.match(out, new RegExp(`Approved ${fingerprint}`));
  const vote = proxy.sent.find(({ path }) => path.endsWith('/approve_activity'))!;
  assert.equal(JSON.parse(vote.body).parameters.fingerprint, fingerprint);
  assert.deepEqual([await statusOf(asked.id), await statusOf(shown.id)], ['CONSENSUS_NEEDED', 'COMPLETED']);
});

test('a service that hides the body, and puts control characters into the other texts, gets none of them printed', async () => {
  const asked = await waiting();
  const proxy = await lying(({ activity }) => {
    activity.votes[0]!.message = '';
    activity.fingerprint = `sha256:${'a'.repeat(64)}\u009b2J`;
  });
  const { code, err } = await cli(['approvals', 'approve', asked.id, '--yes', '--url', proxy.url, '--credentials', files.second]);
  proxy.close();
  assert.equal(code, 1);
  assert.doesNotMatch(err, /\p{Cc}2J/u);
  assert.match(err, /has no activity with its votes/);
});

test('wrong usage, and an unknown activity', async () => {
  for (const [args, complaint] of [
    [['look'], /there is no "approvals look": see countersign approvals --help/],
    [['list', 'x'], /approvals list takes no "x"/],
    [['show'], /name an activity: countersign approvals show ACTIVITY_ID/],
    [['show', '0191f3c2'], /name an activity/],
    [['list', '--limit', '0'], /--limit must be a number from 1 to 1000, not "0"/],
  ] as const) {
    const { code, err } = await approvals(...args);
    assert.equal(code, 2, err);
    assert.match(err, complaint);
  }
  const unknown = await approvals('show', NOBODY);
  assert.deepEqual([unknown.code, /refused: activity not found/.test(unknown.err)], [1, true]);
});
