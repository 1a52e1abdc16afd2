import { makeAttestation, openAttestation } from '../crypto/attestation.ts';
import type { Means } from './means.ts';
import { withServiceKey } from './service-keys.ts';
import type { AttestationVault } from './types.ts';

/** The key is opened for each document. */
export function attestations({ envelope, services }: Means): AttestationVault {
  const service = services['attestation-signer'];
  const signer = Buffer.from(service.publicKey, 'hex');
  return {
    attest: (facts) => withServiceKey(envelope, service, (key) => makeAttestation(facts, key)),
    openAttestation: (document) => openAttestation(document, signer),
  };
}
