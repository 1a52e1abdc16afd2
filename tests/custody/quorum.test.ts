import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { BundleError } from '../../src/crypto/bundle.ts';
import { generateHpkeKeyPair } from '../../src/crypto/hpke.ts';
import { openQuorumBytes, sealQuorumEnvelope } from '../../src/crypto/quorum-envelope.ts';
import { quorumKeys, quorumPublicKey } from '../../src/crypto/quorum-key.ts';
import { combineShares } from '../../src/crypto/shamir.ts';
import { envelope } from '../../src/custody/envelope.ts';
import { newServiceKey, type ServiceKeys, serviceKeyNames } from '../../src/custody/service-keys.ts';
import { EnvelopeError } from '../../src/custody/types.ts';
import { vault } from '../../src/custody/vault.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = Object.fromEntries(serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]));
const { quorum } = vault(sealing, randomBytes, services as ServiceKeys, () => Buffer.alloc(37));

/** An operator of the service: its keys are sealed as those of wallet accounts are. */
function newOperator() {
  const pair = generateHpkeKeyPair(randomBytes);
  const name = { organizationId: 'org', id: randomBytes(8).toString('hex'), purpose: 'account-key' };
  return { ...pair, key: { name, sealed: sealing.seal(name, pair.privateKey) } };
}

const open = (sealed: Buffer, { privateKey, publicKey }: { privateKey: Buffer; publicKey: Buffer }) =>
  openQuorumBytes(sealed, privateKey, publicKey);

test('shares of a new quorum key are sealed to their operators, and the threshold of them gives its public key', async () => {
  const operators = [1, 2, 3, 4].map(newOperator);
  const made = await quorum.newQuorumKey(
    3,
    operators.map(({ publicKey }) => publicKey),
  );
  assert.equal(made.publicKey.length, 130);
  const shares = made.shares.map((share, i) => open(share, operators[i]!));
  assert.throws(() => open(made.shares[0]!, operators[1]!), BundleError);
  for (const some of [shares.slice(0, 3), shares.slice(1), shares])
    assert.deepEqual(quorumPublicKey(quorumKeys(combineShares(some)!)!), made.publicKey);
  const tooFew = quorumKeys(combineShares(shares.slice(2))!);
  assert.notDeepEqual(tooFew && quorumPublicKey(tooFew), made.publicKey);
  const again = await quorum.newQuorumKey(
    3,
    operators.map(({ publicKey }) => publicKey),
  );
  assert.notDeepEqual(again.publicKey, made.publicKey);
});

test('a share is sealed anew to an ephemeral key, with an approval of the manifest', async () => {
  const [operator, signer, other, ephemeral] = [1, 2, 3, 4].map(newOperator);
  const { shares } = await quorum.newQuorumKey(2, [operator!.publicKey, other!.publicKey]);
  const manifestHash = randomBytes(32);
  const to = { ephemeralKey: ephemeral!.publicKey, manifestHash };
  const { share, signature } = quorum.reEncryptShare({ encryptKey: operator!.key, signKey: signer!.key }, shares[0]!, to);
  assert.deepEqual(open(share, ephemeral!), open(shares[0]!, operator!));
  assert.ok(p256.verify(signature, manifestHash, signer!.publicKey));
  const refusals: [Parameters<typeof quorum.reEncryptShare>, RegExp][] = [
    [[{ encryptKey: other!.key, signKey: signer!.key }, shares[0]!, to], /cannot be decrypted/],
    [[{ encryptKey: operator!.key, signKey: signer!.key }, shares[0]!.subarray(1), to], /is not an envelope/],
    [[{ encryptKey: operator!.key, signKey: signer!.key }, shares[0]!, { ...to, ephemeralKey: Buffer.alloc(65, 4) }], /P-256/],
    [
      [
        { encryptKey: operator!.key, signKey: signer!.key },
        sealQuorumEnvelope(operator!.publicKey, Buffer.alloc(32), randomBytes),
        to,
      ],
      /must hold a share of 33 bytes/,
    ],
  ];
  for (const [call, problem] of refusals)
    assert.throws(
      () => quorum.reEncryptShare(...call),
      (error) => error instanceof BundleError && problem.test(error.message),
    );
  const moved = { ...operator!.key, name: { ...operator!.key.name, organizationId: 'other' } };
  assert.throws(() => quorum.reEncryptShare({ encryptKey: moved, signKey: signer!.key }, shares[0]!, to), EnvelopeError);
});
