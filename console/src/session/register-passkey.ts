/** Makes a passkey, and adds it to a user or accepts an invitation with it. */
import { toBase64Url } from '../../../src/base/bytes.ts';
import { bodyOf, submitBody } from '../service/activities.ts';
import { bytesOf, own } from '../service/bytes.ts';
import { passkeyDomain, type Stamper } from '../service/call.ts';
import { ServiceError } from '../service/errors.ts';
import { byPasskey } from '../service/stamps.ts';
import type { Activity } from '../service/types.ts';
import { userHandle } from './user-handle.ts';

export type NewPasskey = {
  credentialId: string;
  /** An entry of `authenticators`, or the `authenticator` of an invitation. */
  authenticator: object;
  /** Absent: no service knows the passkey. */
  sent?: Sent;
};

/** The same body and stamp again are the same activity. `isUnsure`: an answer was lost, so it may be done. */
type Sent = { body: string; headers: Record<string, string>; isUnsure: boolean };

type Person = { organizationId: string; organizationName: string; userId: string; username: string };

const PROMPT_MS = 120_000;
const ALGORITHMS = { es256: -7, rs256: -257 };
const TRANSPORTS = new Set(['ble', 'internal', 'nfc', 'usb', 'hybrid']);

const base64url = (buffer: ArrayBuffer): string => toBase64Url(new Uint8Array(buffer));

function anyChallenge() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return { bytes, text: toBase64Url(bytes) };
}

/** `have`: credentials of the user, so that one device does not make two. `secret`: of an invitation, which is its challenge. */
export async function makePasskey(
  person: Person,
  authenticatorName: string,
  have: readonly Uint8Array[],
  secret?: string,
): Promise<NewPasskey> {
  const domain = passkeyDomain();
  const challenge = secret === undefined ? anyChallenge() : { bytes: bytesOf(secret), text: secret };
  const made = (await navigator.credentials.create({
    publicKey: {
      rp: { name: 'Countersign', ...(domain === undefined ? {} : { id: domain }) },
      user: {
        id: userHandle(person.organizationId, person.userId),
        name: `${person.username} (${person.organizationName})`,
        displayName: person.username,
      },
      challenge: challenge.bytes,
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
  return { credentialId, authenticator: { authenticatorName, challenge: challenge.text, attestation } };
}

const ADD = 'CREATE_AUTHENTICATORS_V2';
const ACCEPT = 'ACCEPT_INVITATION_V2';
const NOT_DONE = new Set(['ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED']);

/**
 * `waits`: others must approve it first. After a failure the passkey has `sent` if the service may know it. Then the same call asks again, without a
 * stamp.
 */
export async function addPasskey(stamp: Stamper, person: Person, passkey: NewPasskey): Promise<'added' | 'waits'> {
  const { organizationId, userId } = person;
  if (passkey.sent === undefined) {
    const body = bodyOf(organizationId, ADD, { userId, authenticators: [passkey.authenticator] });
    const headers = await stamp(body).catch((error: unknown) => {
      disown(passkey);
      throw error;
    });
    passkey.sent = { body, headers, isUnsure: false };
  }
  return outcome(passkey, await send(ADD, passkey, passkey.sent));
}

/** The passkey stamps its own invitation. A prompt that was closed leaves it, and the same call asks again. */
export async function acceptInvitation(
  { organizationId, invitationId, userId }: { organizationId: string; invitationId: string; userId: string },
  passkey: NewPasskey,
): Promise<'added' | 'waits'> {
  if (passkey.sent === undefined) {
    const body = bodyOf(organizationId, ACCEPT, { invitationId, userId, authenticator: passkey.authenticator });
    passkey.sent = { body, headers: await byPasskey(passkey.credentialId)(body), isUnsure: false };
  }
  return outcome(passkey, await send(ACCEPT, passkey, passkey.sent));
}

function outcome(passkey: NewPasskey, { status, failure }: Activity): 'added' | 'waits' {
  if (status === 'ACTIVITY_STATUS_COMPLETED') return 'added';
  if (!NOT_DONE.has(status)) return 'waits';
  disown(passkey);
  throw new Error(failure?.message ?? 'others rejected the passkey');
}

const isRefusal = (error: unknown): boolean => error instanceof ServiceError && error.status >= 400 && error.status < 500;

/** A lost answer is asked for once more. */
async function send(type: string, passkey: NewPasskey, sent: Sent): Promise<Activity> {
  try {
    return await submitBody(type, sent.body, sent.headers);
  } catch (error) {
    const isNew = !sent.isUnsure;
    if (isRefusal(error)) {
      if (isNew) disown(passkey);
      throw error;
    }
    sent.isUnsure = true;
    if (isNew) return send(type, passkey, sent);
    throw error;
  }
}

/** The device must not offer a passkey that no service knows. */
function disown(passkey: NewPasskey): void {
  delete passkey.sent;
  const signal = (PublicKeyCredential as unknown as { signalUnknownCredential?: (given: object) => Promise<void> })
    .signalUnknownCredential;
  const given = { rpId: passkeyDomain() ?? location.hostname, credentialId: passkey.credentialId };
  signal?.call(PublicKeyCredential, given).catch(() => {});
}
