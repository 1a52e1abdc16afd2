/** What runs in the page of the passkey test: the published libraries, as a wallet's page uses them. */
import { getWebAuthnAttestation } from '@turnkey/http';
import { WebauthnStamper } from '@turnkey/webauthn-stamper';

type Options = { rpId: string; challenge: number[]; algorithms: number[]; attestation?: 'none' | 'direct' };

/** The `attestation` of an authenticator's parameters. */
export function register({ rpId, challenge, algorithms, attestation = 'none' }: Options) {
  return getWebAuthnAttestation({
    publicKey: {
      rp: { id: rpId, name: 'A page' },
      challenge: Uint8Array.from(challenge),
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      user: { id: Uint8Array.from([1, 2, 3]), name: 'somebody', displayName: 'Somebody' },
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
      attestation,
    },
  } as never);
}

/** Stamps a body, and sends it if there is an address. */
export async function stamped(rpId: string, body: string, url?: string) {
  const { stampHeaderName, stampHeaderValue } = await new WebauthnStamper({ rpId }).stamp(body);
  const header = { [stampHeaderName]: stampHeaderValue };
  if (url === undefined) return { header };
  const answer = await fetch(url, { method: 'POST', body, headers: header });
  return { header, status: answer.status, answer: await answer.json() };
}
