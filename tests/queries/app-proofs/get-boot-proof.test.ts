import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { verify } from '@turnkey/crypto';
import { openAttestation } from '../../../src/crypto/attestation.ts';
import { sharedInstance } from '../../support/instance.ts';
import { ask, proofsOf } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;

test('the boot proof verifies by the published key of the service, and not as hardware', async () => {
  const [proof] = proofsOf(await ask(root, 'CREATE_WALLET', { walletName: 'Booted', accounts: [] }));
  const { publicKey } = proof!;
  const { bootProof } = (await root.query('get_boot_proof', { ephemeralKey: publicKey.toUpperCase() })).body;
  assert.equal(bootProof.ephemeralPublicKeyHex, publicKey);
  const manifest = Buffer.from(bootProof.qosManifestB64, 'base64');
  const envelope = JSON.parse(Buffer.from(bootProof.qosManifestEnvelopeB64, 'base64').toString());
  assert.deepEqual(envelope, { manifest: JSON.parse(manifest.toString()), manifestSetApprovals: [], shareSetApprovals: [] });
  const { keys } = (await (await fetch(`${instance.url}/public/v1/discovery/keys`)).json()) as { keys: Record<string, string>[] };
  const signer = Buffer.from(keys.find(({ name }) => name === 'attestation-signer')!.publicKey!, 'hex');
  const attested = openAttestation(Buffer.from(bootProof.awsAttestationDocB64, 'base64'), signer);
  assert.equal(attested?.publicKey.toString('hex'), publicKey);
  assert.deepEqual(attested?.userData, createHash('sha256').update(manifest).digest());
  // Both signatures are right, and then the certificates do not lead to the root of AWS.
  await assert.rejects(verify(proof!, bootProof), /^Error: Certificate chain verification failed/);
});

test('it is stored once for its process, and an unknown key has none', async () => {
  await ask(root, 'CREATE_WALLET', { walletName: 'Again', accounts: [] });
  assert.deepEqual(
    (await instance.raw('SELECT count(*) AS n FROM boot_proofs')).map(({ n }) => Number(n)),
    [1],
  );
  assert.equal((await root.query('get_boot_proof', { ephemeralKey: '04'.repeat(130) })).status, 404);
});
