/** A service that lies about a request: approving is off, or the stamp is worthless to it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { type Client, newKeys, stampOf } from '../../support/client.ts';
import { NOBODY } from '../../support/refusals.ts';
import { type Lie, type LyingProxy, lyingProxy } from './lying-proxy.ts';
import { people, signing, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const skip = chromiumProgram() === undefined && NO_CHROMIUM;

const intentOf = (activity: Parameters<Lie>[0]) => Object.values(activity.intent)[0] as { userTagName: string };

/** Another body, with all that the service says about it. */
const otherBody: Lie = (activity) => {
  const [vote] = activity.votes;
  vote.message = vote.message.replace('Honest', 'Forged');
  activity.fingerprint = `sha256:${createHash('sha256').update(vote.message).digest('hex')}`;
  intentOf(activity).userTagName = 'Forged';
};

/** Changes members of the activity, and of its first vote. */
const says =
  (changes: object, ofVote: object = {}): Lie =>
  (activity) => {
    Object.assign(activity, changes);
    Object.assign(activity.votes[0], ofVote);
  };

const forgedIntent: Lie = (activity) => {
  intentOf(activity).userTagName = 'Forged';
};

const forgedStamp: Lie = ({ votes: [vote] }) => {
  vote.signature = vote.signature.replace(/..$/, '00');
};

const forgedBody: Lie = ({ votes: [vote] }) => {
  vote.message = vote.message.replace('Honest', 'Forged');
};

/** A further vote, over a body that its key has stamped. */
const voted =
  ({ keys }: Client, message: string, choice: 'APPROVED' | 'REJECTED'): Lie =>
  ({ votes }) => {
    const stamp = JSON.parse(Buffer.from(stampOf(keys, message), 'base64url').toString());
    votes.push({ ...votes[0], ...stamp, id: NOBODY, message, selection: `VOTE_SELECTION_${choice}` });
  };

const WRONG_STAMP = /stamp of the sender is wrong/;

const LIES: readonly [string, Lie, RegExp][] = [
  ['the intent', forgedIntent, /userTagName/],
  ['which activity it is', says({ id: NOBODY }), /another activity/],
  [
    'where it runs',
    says({ organizationId: NOBODY }),
    /names another organization.*answers with an activity of another organization/s,
  ],
  ['the fingerprint', says({ fingerprint: `sha256:${'0'.repeat(64)}` }), /fingerprint/],
  ['the type', says({ type: 'ACTIVITY_TYPE_CREATE_WALLET' }), /type/],
  ['the stamp', forgedStamp, WRONG_STAMP],
  ['the body', forgedBody, /fingerprint/],
  ['all but the stamp', otherBody, WRONG_STAMP],
];

describe('a service that lies to the console', { skip }, () => {
  const world = consoleWorld();
  let proxy: LyingProxy | undefined;
  after(() => proxy?.close());

  test('any difference turns approving off, and a stamp over a forged body approves nothing', async () => {
    proxy = await lyingProxy(world.instance.url);
    const { asker, approver, second } = await people(world);
    const page = await world.open(await enrolAddress(proxy.origin, approver), { origin: proxy.origin });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    const { id, fingerprint } = await waiting(asker, ...tag('Honest'));
    const vote = (type: 'APPROVE' | 'REJECT', options = {}, parameters: object = { fingerprint }) =>
      second.bodyOf(`${type}_ACTIVITY`, parameters, options);
    const elsewhere = { fingerprint: `sha256:${'1'.repeat(64)}` };
    const votes: typeof LIES = [
      ['what a vote is about', voted(second, vote('APPROVE', {}, elsewhere), 'APPROVED'), /Vote 2 .*voted on another activity/],
      ['the choice of a vote', voted(second, vote('REJECT'), 'APPROVED'), /Vote 2 .*stamped the other choice/],
      ['where a vote is', voted(second, vote('APPROVE', { organizationId: NOBODY }), 'APPROVED'), /in another organization/],
      ['what a voter stamped', voted(second, '', 'REJECTED'), /hides what was stamped/],
      ['what is a vote', voted(second, second.bodyOf('CREATE_USER_TAG', {}), 'APPROVED'), /is no vote/],
    ];
    const address = `${proxy.origin}/console/approvals?open=${id}`;
    const approve = page.getByRole('button', { name: 'Approve with passkey…' });
    for (const [what, lie, reason] of [...LIES, ...votes]) {
      proxy.lie = lie;
      await page.goto(address);
      const notice = page.getByRole('alert').filter({ hasText: 'Approving is off' });
      await notice.waitFor();
      assert.match(await notice.innerText(), reason, what);
      assert.ok(await approve.isDisabled(), what);
    }
    // A stamp that the page cannot check: the passkey then signs the body on the screen, which is no activity.
    proxy.lie = (activity) => {
      otherBody(activity);
      activity.votes[0].scheme = 'SIGNATURE_SCHEME_OF_THE_FUTURE';
    };
    await page.goto(address);
    await approve.click();
    await page.getByText('The approval failed').waitFor();
    const { activity } = (await world.instance.root.query('get_activity', { activityId: id })).body;
    assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
    // A true stamp by a key of the liar's own, beside the name of the sender. It stays the same: another one would draw the votes anew.
    const own = newKeys();
    let stamp: string | undefined;
    proxy.lie = (activity) => {
      otherBody(activity);
      stamp ??= stampOf(own, activity.votes[0].message);
      Object.assign(activity.votes[0], JSON.parse(Buffer.from(stamp, 'base64url').toString()));
    };
    await page.goto(address);
    await approve.and(page.locator(':enabled')).waitFor();
    await page.getByText('stamp not verified here').click();
    assert.equal(await page.getByText('stamp verified in this browser').count(), 0);
    await page
      .locator('.verified')
      .getByText(/the service lists no such key of the voter/)
      .waitFor();
    await approve.click();
    await page.getByText('The approval failed').waitFor();
    assert.equal((await world.instance.root.query('get_activity', { activityId: id })).body.activity.votes.length, 1);
    // What policies see is read from the signed body too.
    const transfer = await waiting(asker, ...(await signing(world))[0]!);
    proxy.lie = undefined;
    // The page before asks about its own request, which has no elements.
    proxy.sees = ({ elements }) => {
      for (const { roots } of elements) for (const root of roots) root.value &&= root.value.replaceAll(/0x7099/gi, '0x7098');
    };
    await page.goto(`${proxy.origin}/console/approvals?open=${transfer.id}`);
    await page
      .getByRole('alert')
      .filter({ hasText: 'Approving is off' })
      .getByText(/as policies see it/)
      .first()
      .waitFor();
    proxy.sees = undefined;
    // A request without a body is no difference. It can be rejected, by the fingerprint that the service says.
    const sealed = await waiting(asker, ...tag('Sealed'));
    proxy.lie = says({}, { message: '' });
    await page.goto(`${proxy.origin}/console/approvals?open=${sealed.id}`);
    await page.getByText('Approving is off: the service shows no body').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.ok(await approve.isDisabled());
    await page.getByText('Approving unread').click();
    await page.getByText(`submit approve_activity '{"fingerprint":"${sealed.fingerprint}"}'`).waitFor();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByText('Nothing of the request was read here').waitFor();
    // The page may ask again at any time, and a body would close the dialog.
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByText('Rejected: it will not run.').waitFor();
    // And what is true can be approved.
    proxy.lie = undefined;
    await page.goto(address);
    await approve.click();
    await page.getByText('Approved: it is completed.').waitFor();
    await page.close();
  });
});
