/** Checks a vote in the browser: that it is about this activity, and that its key signed exactly these bytes. */
import { bodyOf } from '../../../review/body.ts';
import { member } from '../../../review/parts.ts';
import { fromBase64Url, fromHex, sameBytes, toBase64Url, toHex } from '../../../src/base/bytes.ts';
import { parseEcdsaSignature } from '../../../src/crypto/der.ts';
import { bytesOf, digestOf, own, sha256 } from './bytes.ts';
import { passkeyKey } from './cose.ts';
import { loaded, OldPage } from './part.ts';
import type { Activity, Vote } from './types.ts';

/** `said`: what was checked, or why not. */
export type Verified = { state: 'good' | 'bad' | 'unknown'; said: string[] };

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNS = { name: 'ECDSA', hash: 'SHA-256' };

const PRESENT = 0x01;
const VERIFIED = 0x04;

const bad = (why: string): Verified => ({ state: 'bad', said: [why] });

async function byApiKey({ publicKey, signature, message }: Vote): Promise<Verified> {
  const [point, der] = [fromHex(publicKey), fromHex(signature)];
  const compact = der && parseEcdsaSignature(der)?.compact;
  if (point === undefined || compact === undefined) return bad('the stamp is malformed');
  const { p256 } = await loaded(import('@noble/curves/nist.js'));
  const key = await crypto.subtle.importKey('raw', own(p256.Point.fromBytes(point).toBytes(false)), P256, false, ['verify']);
  const fits = await crypto.subtle.verify(SIGNS, key, own(compact), bytesOf(message));
  return fits ? { state: 'good', said: ['the signature covers exactly this body'] } : bad('the signature does not fit the body');
}

type Assertion = { authenticatorData: Uint8Array; clientDataJson: Uint8Array; signature: Uint8Array };

function assertionOf(text: string): Assertion {
  const given = JSON.parse(text) as Record<string, string>;
  const part = (name: string) => fromBase64Url(given[name] ?? '') ?? new Uint8Array();
  return { authenticatorData: part('authenticatorData'), clientDataJson: part('clientDataJson'), signature: part('signature') };
}

async function signedByPasskey(publicKey: string, signed: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const key = await passkeyKey(fromHex(publicKey) ?? fromBase64Url(publicKey) ?? new Uint8Array());
  const bytes = key.algorithm.name === 'ECDSA' ? parseEcdsaSignature(signature)?.compact : signature;
  return bytes !== undefined && crypto.subtle.verify({ ...SIGNS, name: key.algorithm.name }, key, own(bytes), own(signed));
}

async function byPasskey({ publicKey, signature, message }: Vote): Promise<Verified> {
  const { authenticatorData, clientDataJson, signature: bytes } = assertionOf(signature);
  const client = JSON.parse(new TextDecoder().decode(clientDataJson)) as Record<string, unknown>;
  if (client.type !== 'webauthn.get') return bad('the stamp is no assertion of a passkey');
  if (client.challenge !== toBase64Url(bytesOf(await digestOf(message)))) return bad('the passkey signed another body');
  const signed = Uint8Array.of(...authenticatorData, ...(await sha256(clientDataJson)));
  if (!(await signedByPasskey(publicKey, signed, bytes))) return bad('the signature does not fit the passkey');
  const origin = String(client.origin);
  const flags = authenticatorData[32] ?? 0;
  const domain = new URL(origin).hostname;
  const hosts = domain.split('.').map((_, i, all) => all.slice(i).join('.'));
  const hashes = await Promise.all(hosts.map((host) => sha256(bytesOf(host))));
  const rp = hosts[hashes.findIndex((hash) => sameBytes(hash, authenticatorData.subarray(0, 32)))];
  return {
    state: 'good',
    said: [
      'the passkey signed the fingerprint of exactly this body',
      `at the origin ${origin}`,
      rp === undefined ? `for a domain whose hash is ${toHex(authenticatorData.subarray(0, 32))}` : `for the domain ${rp}`,
      flags & PRESENT ? 'a person was present' : 'without a sign that a person was present',
      flags & VERIFIED ? 'the device verified the person' : 'the device did not verify the person',
    ],
  };
}

const CHECKS: Readonly<Record<string, (vote: Vote) => Promise<Verified>>> = {
  SIGNATURE_SCHEME_TK_API_P256: byApiKey,
  SIGNATURE_SCHEME_TK_WEBAUTHN: byPasskey,
};

const CHOICES: Readonly<Record<string, string>> = {
  ACTIVITY_TYPE_APPROVE_ACTIVITY: 'VOTE_SELECTION_APPROVED',
  ACTIVITY_TYPE_REJECT_ACTIVITY: 'VOTE_SELECTION_REJECTED',
};

/** `body` and `fingerprint`: of the request, as they were read here. */
export type VotedOn = Pick<Activity, 'id' | 'organizationId'> & { body: string; fingerprint: string };

/** Why a vote does not say this about the activity. A true stamp may be over a vote on another one. */
function wrongAbout(vote: Vote, { id, organizationId, body, fingerprint }: VotedOn): string | undefined {
  if (vote.activityId !== id) return 'it belongs to another activity';
  if (vote.user.userId !== vote.userId) return 'it shows another user than its voter';
  // A later vote repeats the body, or names its fingerprint.
  if (vote.message === body) return vote.selection === 'VOTE_SELECTION_APPROVED' ? undefined : 'the user did not reject this';
  if (vote.message === '') return 'the service hides what was stamped';
  const { problem, type, parameters, organizationId: named } = bodyOf(bytesOf(vote.message));
  if (problem !== undefined || !Object.hasOwn(CHOICES, type)) return 'what was stamped is no vote';
  if (CHOICES[type] !== vote.selection) return 'the user stamped the other choice';
  if (member(parameters, 'fingerprint') !== fingerprint) return 'the user voted on another activity';
  return named === organizationId ? undefined : 'the user voted in another organization';
}

/** Sessions are not listed, and a key that a liar made is not either. */
const isListed = ({ user: { apiKeys, authenticators }, publicKey }: Vote): boolean =>
  [...apiKeys, ...authenticators].some(({ credential }) => credential.publicKey === publicKey);

/** Throws OldPage. */
export async function verifyVote(vote: Vote, about: VotedOn): Promise<Verified> {
  const wrong = wrongAbout(vote, about);
  if (wrong !== undefined) return bad(wrong);
  if (vote.message === '') return { state: 'unknown', said: ['the service hides the body of this vote'] };
  const check = CHECKS[vote.scheme];
  if (check === undefined) return { state: 'unknown', said: [`this page does not check stamps of ${vote.scheme}`] };
  const verified = await check(vote).catch((error: unknown) => {
    if (error instanceof OldPage) throw error;
    return bad('the stamp is malformed');
  });
  if (verified.state !== 'good' || isListed(vote)) return verified;
  const lacks = 'the service lists no such key of the voter: it may be a session, or a key of another';
  return { state: 'unknown', said: [lacks, ...verified.said] };
}
