/** App proofs as a client asks for them. */
import assert from 'node:assert/strict';
import { verifyAppProofSignature } from '@turnkey/crypto';
import { listAppProofs } from '../../../src/queries/app-proofs/list-app-proofs.ts';
import { type Answer, type Client, submitPath } from '../../support/client.ts';

export type Proof = { scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'; publicKey: string; proofPayload: string; signature: string };

export const asking = (client: Client, type: string, parameters: object): string =>
  client.bodyOf(type, parameters).replace(/}$/, ',"generateAppProofs":true}');
export const ask = (client: Client, type: string, parameters: object): Promise<Answer> =>
  client.send(submitPath(type), asking(client, type, parameters));
export const typesOf = (proofs: readonly Proof[]) => proofs.map(({ proofPayload }) => JSON.parse(proofPayload).type);
export const OUTCOME = 'APP_PROOF_TYPE_POLICY_OUTCOME';
export const ADDRESS = 'APP_PROOF_TYPE_ADDRESS_DERIVATION';

/** The proofs of an answer, each verified by published code. */
export function proofsOf(answer: Answer): Proof[] {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
  const { appProofs } = answer.body.activity;
  assert.deepEqual(listAppProofs.result.parse({ appProofs }), { appProofs });
  for (const proof of appProofs) {
    verifyAppProofSignature(proof);
    const changed = { ...proof, proofPayload: `${proof.proofPayload} ` };
    assert.throws(() => verifyAppProofSignature(changed), /Signature verification failed/);
  }
  return appProofs;
}
