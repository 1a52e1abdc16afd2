/** Makes a passkey and adds it to a user. */
import { toBase64Url } from '../../../src/base/bytes.ts';
import { submit } from '../service/activities.ts';
import { own } from '../service/bytes.ts';
import { passkeyDomain, type Stamper } from '../service/call.ts';
import { userHandle } from './user-handle.ts';

export type NewPasskey = {
  credentialId: string;
  /** An entry of `authenticators`. */
  authenticator: object;
};

type Person = { organizationId: string; organizationName: string; userId: string; username: string };

const PROMPT_MS = 120_000;
const ALGORITHMS = { es256: -7, rs256: -257 };
const TRANSPORTS = new Set(['ble', 'internal', 'nfc', 'usb', 'hybrid']);

const base64url = (buffer: ArrayBuffer): string => toBase64Url(new Uint8Array(buffer));

/** `have`: credentials of the user, so that one device does not make two. */
export async function makePasskey(person: Person, authenticatorName: string, have: readonly Uint8Array[]): Promise<NewPasskey> {
  const domain = passkeyDomain();
  const challenge = crypto.getRandomValues(new Uint8Array(32));
  const made = (await navigator.credentials.create({
    publicKey: {
      rp: { name: 'Countersign', ...(domain === undefined ? {} : { id: domain }) },
      user: {
        id: userHandle(person.organizationId, person.userId),
        name: `${person.username} (${person.organizationName})`,
        displayName: person.username,
      },
      challenge,
      pubKeyCredParams: Object.values(ALGORITHMS).map((alg) => ({ type: 'public-key' as const, alg })),
      excludeCredentials: have.map((id) => ({ type: 'public-key' as const, id: own(id) })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
      timeout: PROMPT_MS,
    },
  })) as PublicKeyCredential | null;
  if (made === null) throw new DOMException('no passkey was made', 'NotAllowedError');
  const response = made.response as AuthenticatorAttestationResponse;
  const transports = (response.getTransports?.() ?? []).filter((one) => TRANSPORTS.has(one));
  const credentialId = base64url(made.rawId);
  const attestation = {
    credentialId,
    clientDataJson: base64url(response.clientDataJSON),
    attestationObject: base64url(response.attestationObject),
    transports: transports.map((one) => `AUTHENTICATOR_TRANSPORT_${one.toUpperCase()}`),
  };
  return { credentialId, authenticator: { authenticatorName, challenge: toBase64Url(challenge), attestation } };
}

export async function addPasskey(stamp: Stamper, person: Person, { authenticator }: NewPasskey): Promise<void> {
  const { organizationId, userId } = person;
  const activity = await submit(stamp, organizationId, 'CREATE_AUTHENTICATORS_V2', { userId, authenticators: [authenticator] });
  if (activity.status === 'ACTIVITY_STATUS_COMPLETED') return;
  throw new Error(activity.failure?.message ?? 'the passkey waits until others approve it');
}

/** The device must not offer a passkey that no service knows. */
export function disown(credentialId: string): void {
  const signal = (PublicKeyCredential as unknown as { signalUnknownCredential?: (given: object) => Promise<void> })
    .signalUnknownCredential;
  signal?.call(PublicKeyCredential, { rpId: passkeyDomain() ?? location.hostname, credentialId }).catch(() => {});
}
