/** A service that lies about a request: approving is off, or the stamp is worthless to it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../../support/chromium.ts';
import { isFull } from '../../support/full.ts';
import { type Lie, type LyingProxy, lyingProxy } from './lying-proxy.ts';
import { people, tag, waiting } from './requests.ts';
import { consoleWorld, enrolAddress } from './world.ts';

const skip = chromiumProgram() === undefined ? NO_CHROMIUM : !isFull && 'in --full';

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

const WRONG_STAMP = /stamp of the sender is wrong/;

const LIES: readonly [string, Lie, RegExp][] = [
  ['the intent', forgedIntent, /userTagName/],
  ['the fingerprint', says({ fingerprint: `sha256:${'0'.repeat(64)}` }), /fingerprint/],
  ['the type', says({ type: 'ACTIVITY_TYPE_CREATE_WALLET' }), /type/],
  ['the stamp', forgedStamp, WRONG_STAMP],
  ['the body', forgedBody, /fingerprint/],
  ['all but the stamp', otherBody, WRONG_STAMP],
  ['whether there is a body', says({}, { message: '' }), /shows no body/],
];

describe('a service that lies to the console', { skip }, () => {
  const world = consoleWorld();
  let proxy: LyingProxy | undefined;
  after(() => proxy?.close());

  test('any difference turns approving off, and a stamp over a forged body approves nothing', async () => {
    proxy = await lyingProxy(world.instance.url);
    const { asker, approver } = await people(world);
    const page = await world.open(await enrolAddress(proxy.origin, approver), { origin: proxy.origin });
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    const { id } = await waiting(asker, ...tag('Honest'));
    const address = `${proxy.origin}/console/approvals?open=${id}`;
    const approve = page.getByRole('button', { name: 'Approve with passkey…' });
    for (const [what, lie, reason] of LIES) {
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
    // And what is true can be approved.
    proxy.lie = undefined;
    await page.goto(address);
    await approve.click();
    await page.getByText('Approved: it is completed.').waitFor();
    await page.close();
  });
});
