import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifySessionJwtSignature } from '@turnkey/crypto';
import { signDigest } from '../../../src/crypto/curves.ts';
import { sha256 } from '../../../src/crypto/hash.ts';
import type { SessionVault } from '../../../src/custody/types.ts';
import { mintSessionToken } from '../../../src/login/tokens/session-token.ts';
import type { SessionProfile } from '../../../src/model/session-profile.ts';
import { newCredential } from '../../../src/model/user.ts';
import { hex, ownVectors } from '../../crypto/vectors.ts';
import { rounds } from '../../support/full.ts';
import fc from '../../support/properties.ts';
import { tokenService } from './support.ts';

const { signer } = ownVectors<{ signer: { privateKey: string; publicKey: string } }>('hpke/wire.json');

/** The signer of the computed vectors, with the nonce of RFC 6979. */
const ofVectors: SessionVault = {
  signSession(data) {
    const { r, s } = signDigest('CURVE_P256', hex(signer.privateKey), sha256(sha256(data)));
    return Buffer.concat([r, s]);
  },
};

const credential = newCredential({
  organizationId: '00000000-0000-4000-8000-000000000001',
  id: '00000000-0000-4000-8000-000000000009',
  parentId: null,
  userId: '00000000-0000-4000-8000-000000000002',
  type: 'CREDENTIAL_TYPE_LOGIN',
  name: 'Login',
  publicKey: '02f739f8c77b32f4d5f13265861febd76e7a9c61a1140d296b8c16302508870316',
  expiresAt: 4_102_444_800_999,
  createdAt: 0,
});

/** Computed by an independent implementation, and accepted by @turnkey/crypto with the signer as its override. */
const COMPUTED =
  'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjQxMDI0NDQ4MDAsInB1YmxpY19rZXkiOiIwMmY3MzlmOGM3N2IzMmY0ZDVmMTMyNjU4NjFmZWJkNzZlN2E5YzYxYTExNDBkMjk2YjhjMTYzMDI1MDg4NzAzMTYiLCJzZXNzaW9uX3R5cGUiOiJTRVNTSU9OX1RZUEVfUkVBRF9XUklURSIsInVzZXJfaWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDIiLCJvcmdhbml6YXRpb25faWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDEifQ.b9Bun1Vs7F-GxdUs0ce6w8U04pBbZ8w9wfnaxx7J1ZQvhJcvPFjCtzzTd-lTOqt-QRMhnDmqMeDcLyMLZVCtHw';

/** A token of the reference service, as its documents and tests publish it. */
const CAPTURED =
  'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE3NDg4NzY4MzcsInB1YmxpY19rZXkiOiIwMzk5ZmUyYWNlNjIwOGFmMGFkZjg0OGY0NGJjNDgyMTBiNTk0YjdlNjllY2Q5MWVjOTY4ZmQ3NWIzYmI0NDgzMzYiLCJzZXNzaW9uX3R5cGUiOiJTRVNTSU9OX1RZUEVfUkVBRF9XUklURSIsInVzZXJfaWQiOiI2OTEyYjgxOS1mNGRmLTQwZjQtYTE5Mi0yMGVlNDMwOTA5NzQiLCJvcmdhbml6YXRpb25faWQiOiJjNzVlY2IwNy1jODRhLTRkZDUtOTMyYy01MzlkZmFmYzY4NjQifQ.y6LPW1jlTwc9jFcvCwKJoKfleL_vHnGUr5tRVdMFUCnHvDspSPZ3DWK85tf1znCCBFQ6MYaFOl-1FLb0KcFxqQ';

const signedPart = (token: string): string => token.slice(0, token.lastIndexOf('.'));

test('the computed token, byte for byte', () => {
  assert.equal(mintSessionToken(ofVectors, credential), COMPUTED);
});

test('the captured token’s header and payload, byte for byte', () => {
  const session = {
    ...credential,
    organizationId: 'c75ecb07-c84a-4dd5-932c-539dfafc6864',
    userId: '6912b819-f4df-40f4-a192-20ee43090974',
    publicKey: '0399fe2ace6208af0adf848f44bc48210b594b7e69ecd91ec968fd75b3bb448336',
    expiresAt: 1_748_876_837_000,
  };
  assert.equal(signedPart(mintSessionToken(ofVectors, session)), signedPart(CAPTURED));
});

test('the published client verifies what this service signs, and refuses another key', async () => {
  const { keys, sessions } = tokenService();
  const token = mintSessionToken(sessions, credential);
  assert.equal(await verifySessionJwtSignature(token, keys['session-signer'].publicKey), true);
  assert.equal(await verifySessionJwtSignature(token, signer.publicKey), false);
  assert.equal(await verifySessionJwtSignature(token.replace('.ey', '.eY'), keys['session-signer'].publicKey), false);
});

test('no name or scope of a profile makes a payload that published decoders misread', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, scope) => {
      const profile = { id: credential.id, name, scope } as SessionProfile;
      const payload = mintSessionToken(ofVectors, credential, profile).split('.')[1]!;
      assert.match(payload, /^[A-Za-z0-9]+$/);
      const claims = JSON.parse(atob(payload));
      assert.deepEqual([claims.session_type, claims.scope, claims.session_profile_id], [name, scope, profile.id]);
    }),
    { numRuns: rounds(100) },
  );
});
