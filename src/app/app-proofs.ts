import { hash } from 'node:crypto';
import { toHex, utf8 } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import { VERSION } from '../base/version.ts';
import type { Vault } from '../custody/types.ts';
import type { AppProofPort } from '../engine/ports.ts';
import { APP_NAME } from '../model/app-proof.ts';
import type { Store } from '../store/types.ts';

type Parts = { store: Store; clock: Clock; vault: Pick<Vault, 'ephemeral' | 'attestations'> };

/** What this process says about itself. No hardware measured it. */
const MANIFEST = JSON.stringify({ app: APP_NAME, version: VERSION, measuredBy: 'nothing: this is software' });

/** Its boot proof is stored when it signs for the first time. */
export function openAppProofs({ store, clock, vault }: Parts): AppProofPort {
  const { publicKey, sign } = vault.ephemeral;
  let stored: Promise<void> | undefined;

  async function keep(): Promise<void> {
    const createdAt = clock.now();
    const attestation = vault.attestations.attest({
      moduleId: APP_NAME,
      timestampMs: createdAt,
      publicKey: Buffer.from(publicKey, 'hex'),
      userData: hash('sha256', MANIFEST, 'buffer'),
    });
    const proof = { publicKey, appName: APP_NAME, label: `${APP_NAME}-${VERSION}`, manifest: MANIFEST, attestation, createdAt };
    await store.transaction((tx) => tx.bootProofs.insert(proof));
  }

  return {
    publicKey,
    sign: (payload) => toHex(sign(utf8(payload))),
    stored() {
      stored ??= keep().catch((error: unknown) => {
        stored = undefined;
        throw error;
      });
      return stored;
    },
  };
}
