import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshNonces, frostShare, USER_IDENTIFIER } from '../../../src/crypto/spark/frost.ts';
import { hex, ownVectors, seededBytes } from '../vectors.ts';
import { noncesOf, requestOf, type Session } from './sessions.ts';

const { sessions } = ownVectors<{ sessions: (Session & { signatureShare: string })[] }>('spark/frost.json');

test('the published signer’s shares of fifty sessions: with and without an adaptor, one to five operators', () => {
  assert.equal(sessions.length, 50);
  assert.equal(Buffer.from(USER_IDENTIFIER).toString('hex'), '687da64d52a16c6fc792c6fc831ec1afa797a91f77549668a6b5421f12c1ac77');
  for (const [i, session] of sessions.entries()) {
    const { share } = frostShare(hex(session.secret), requestOf(session), noncesOf(session));
    assert.equal(Buffer.from(share).toString('hex'), session.signatureShare, `session ${i}`);
  }
});

test('the order of the commitments does not matter', () => {
  for (const session of sessions) {
    const turned = { ...session, operatorCommitments: session.operatorCommitments.toReversed() };
    const { share } = frostShare(hex(session.secret), requestOf(turned), noncesOf(session));
    assert.equal(Buffer.from(share).toString('hex'), session.signatureShare);
  }
});

test('nonces differ if anything that is signed differs, even with the same randomness, and with the randomness alone', () => {
  const [first, second] = [sessions.find(({ adaptorPublicKey }) => adaptorPublicKey)!, sessions[4]!];
  const { secret, ...session } = first;
  const same = (): Buffer => Buffer.alloc(32, 7);
  const noncesFor = (key: string, changed: object, random: (n: number) => Buffer = same) =>
    freshNonces(hex(key), requestOf({ ...session, secret: key, ...changed }), random);
  const [commitment] = session.operatorCommitments;
  const all = [
    noncesFor(secret, {}),
    noncesFor(second.secret, {}),
    noncesFor(secret, { message: second.message }),
    noncesFor(secret, { verifyingKey: second.verifyingKey }),
    noncesFor(secret, { adaptorPublicKey: '' }),
    noncesFor(secret, { operatorCommitments: second.operatorCommitments }),
    noncesFor(secret, { operatorCommitments: [{ ...commitment!, hiding: commitment!.binding }] }),
    noncesFor(secret, {}, seededBytes(1)),
  ];
  const numbers = all.flatMap(({ hiding, binding }) => [hiding, binding]);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.deepEqual(noncesFor(secret, { operatorCommitments: session.operatorCommitments.toReversed() }), all[0]);
});
