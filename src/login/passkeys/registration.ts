import { plainBase64Url } from '../../base/bytes.ts';
import { type ApiError, invalid } from '../../base/errors.ts';
import { es256CoseKey, rs256CoseKey } from '../../crypto/cose.ts';
import { mayUse, relyingPartyIds } from '../../model/passkey-origins.ts';
import type { Passkey } from '../../model/user.ts';
import { type Attested, verifyAttestation } from './attestation.ts';
import { readClientData } from './client-data.ts';
import { modelOf } from './models.ts';

type NewPasskey = {
  authenticatorName: string;
  challenge: string;
  attestation: { credentialId: string; clientDataJson: string; attestationObject: string; transports: string[] };
};

/** WebAuthn §4 allows a credential id of at most 1023 bytes. Here it is the number that fits into 256 characters. */
const LONGEST_CREDENTIAL_ID = 192;

/** The challenge that a browser was given: bytes in base64url, or the bytes of a text. */
function isChallenge(signed: string, given: string): boolean {
  const plain = plainBase64Url(signed);
  return plain === plainBase64Url(given) || plain === Buffer.from(given).toString('base64url');
}

/** A byte string's CBOR head (RFC 8949 §3): the reference describes the credential id as CBOR in base64url. */
const cborHead = (length: number): Buffer =>
  length < 24 ? Buffer.of(0x40 + length) : length < 256 ? Buffer.of(0x58, length) : Buffer.of(0x59, length >> 8, length & 0xff);

function isCredentialId(given: Buffer, attested: Buffer): boolean {
  return given.equals(attested) || given.equals(Buffer.concat([cborHead(attested.length), attested]));
}

const coseKey = ({ key }: Attested): Buffer | undefined =>
  key.kty === 'EC2' ? es256CoseKey(key.x, key.y) : rs256CoseKey(key.n, key.e);

/** `origins`: those that the organization allows; undefined: any. `payer`: the top-level organization. */
type Circumstances = { origins: readonly string[] | undefined; now: number; payer: string };

/** Verifies the registration of a passkey. `field`: the passkey's field in the request. Throws REQUEST_INVALID and `Unreachable`. */
export async function verifyRegistration(
  { authenticatorName, challenge, attestation }: NewPasskey,
  { origins, now, payer }: Circumstances,
  field: string,
): Promise<Passkey> {
  const wrong = (where: string, what: string): ApiError =>
    invalid(`${field}.${where}`, `invalid authenticator attestation: ${what}`);
  const clientDataJson = Buffer.from(attestation.clientDataJson, 'base64url');
  const client = readClientData(clientDataJson);
  const inClientData = 'attestation.clientDataJson';
  if (client === undefined) throw wrong(inClientData, 'its client data is not that of a registration');
  if (client.type !== 'webauthn.create') throw wrong(inClientData, 'its type must be webauthn.create');
  if (!isChallenge(client.challenge, challenge)) throw wrong('challenge', 'its client data is for another challenge');
  if (!mayUse(client.origin, origins)) throw wrong(inClientData, 'the organization does not allow passkeys of its origin');
  const registration = {
    clientDataJson: clientDataJson.toString('base64url'),
    attestationObject: Buffer.from(attestation.attestationObject, 'base64url').toString('base64url'),
    challenge: client.challenge,
    origin: client.origin,
    relyingPartyIds: relyingPartyIds(client.origin),
    now,
  };
  const verdict = await verifyAttestation(registration, payer);
  if ('problem' in verdict) throw wrong('attestation.attestationObject', verdict.problem);
  const { attested } = verdict;
  const credentialId = Buffer.from(attested.credentialId);
  const publicKey = coseKey(attested);
  if (publicKey === undefined) throw wrong('attestation.attestationObject', 'its public key is invalid');
  if (credentialId.length === 0 || credentialId.length > LONGEST_CREDENTIAL_ID)
    throw wrong('attestation.attestationObject', `its credential id must have 1 to ${LONGEST_CREDENTIAL_ID} bytes`);
  if (!isCredentialId(Buffer.from(attestation.credentialId, 'base64url'), credentialId))
    throw wrong('attestation.credentialId', 'the attestation is for another credential id');
  const aaguid = Buffer.from(attested.aaguid);
  return {
    name: authenticatorName,
    credentialId: credentialId.toString('base64url'),
    publicKey: publicKey.toString('base64url'),
    rpIdHash: Buffer.from(attested.rpIdHash).toString('base64url'),
    origin: client.origin,
    aaguid: aaguid.toString('base64url'),
    transports: [...new Set(attestation.transports)],
    attestationType: attested.format,
    model: modelOf(aaguid),
  };
}
