import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A passkey authenticator in software: it registers and stamps as a browser does, and wrongly in the ways that tests ask for. */

type Value = number | string | Buffer | Value[] | Map<number | string, Value>;

function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.of((major << 5) | n);
  if (n < 256) return Buffer.of((major << 5) | 24, n);
  return Buffer.of((major << 5) | 25, n >> 8, n & 0xff);
}

/** CBOR (RFC 8949), of what attestations are made of. */
export function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([k, v]) => [cbor(k), cbor(v)])]);
}

export const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const b64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64url');

/** Changes a bit of a byte, counted from the end if `at` is negative. */
export function flip(bytes: Buffer, at: number, bit = 1): void {
  const place = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(place) ^ bit, place);
}

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

const NAMES = { ES256: -7, RS256: -257, EdDSA: -8 } as const;

function newKey(algorithm: Algorithm, modulusLength: number): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return algorithm === 'RS256' ? generateKeyPairSync('rsa', { modulusLength }) : generateKeyPairSync('ed25519');
}

export function coseOf(key: KeyObject, algorithm: Algorithm): Map<number, Value> {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (member: string | undefined) => Buffer.from(member!, 'base64url');
  const alg = NAMES[algorithm];
  if (algorithm === 'RS256')
    return new Map<number, Value>([
      [1, 3],
      [3, alg],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ]);
  if (algorithm === 'EdDSA')
    return new Map<number, Value>([
      [1, 1],
      [3, alg],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ]);
  return new Map<number, Value>([
    [1, 2],
    [3, alg],
    [-1, 1],
    [-2, bytes(jwk.x)],
    [-3, bytes(jwk.y)],
  ]);
}

export type Registering = {
  origin?: string;
  rpId?: string;
  /** As in the parameters. */
  challenge?: string;
  /** The signed data, if it differs. */
  signedChallenge?: string;
  type?: string;
  flags?: number;
  format?: string;
  /** The attestation statement over these bytes. */
  statement?: (signed: Buffer, parts: { authData: Buffer; clientDataHash: Buffer }) => Map<string, Value>;
  credentialId?: Buffer;
  aaguid?: Buffer;
  name?: string;
  transports?: string[];
  keyOrder?: 'reversed';
  /** In place of a coordinate of the key. */
  point?: { y: Buffer };
};

export type Stamping = {
  origin?: string;
  rpId?: string;
  type?: string;
  flags?: number;
  counter?: number;
  /** The challenge as in the client data. */
  challenge?: string;
  /** Changes the parts after they were signed. */
  tamper?: (parts: { authenticatorData: Buffer; clientDataJson: Buffer; signature: Buffer; credentialId: Buffer }) => void;
};

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;

export const ORIGIN = 'https://app.example.com';
export const RP_ID = 'example.com';

/** Those of this process, by the base64url of their credential ids. */
const made = new Map<string, SoftAuthenticator>();

export class SoftAuthenticator {
  /** The newest with this credential id. */
  static of(credentialId: unknown): SoftAuthenticator | undefined {
    return made.get(String(credentialId));
  }

  readonly algorithm: Algorithm;
  readonly keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly credentialId: Buffer;

  constructor(algorithm: Algorithm = 'ES256', credentialId: Buffer = randomBytes(16), { modulusLength = 2048 } = {}) {
    this.algorithm = algorithm;
    this.keys = newKey(algorithm, modulusLength);
    this.credentialId = credentialId;
    made.set(this.id, this);
  }

  get id(): string {
    return b64(this.credentialId);
  }

  sign(data: Buffer): Buffer {
    return this.algorithm === 'EdDSA'
      ? sign(null, data, this.keys.privateKey)
      : createSign('sha256').update(data).sign(this.keys.privateKey);
  }

  /** An entry of `authenticators` in the current form. */
  register(options: Registering = {}) {
    const {
      origin = ORIGIN,
      rpId = RP_ID,
      challenge = b64(randomBytes(32)),
      type = 'webauthn.create',
      flags = UP | UV | AT,
    } = options;
    const { signedChallenge = challenge, credentialId = this.credentialId, aaguid = Buffer.alloc(16) } = options;
    const clientDataJson = Buffer.from(JSON.stringify({ type, challenge: signedChallenge, origin, crossOrigin: false }));
    const length = Buffer.of(credentialId.length >> 8, credentialId.length & 0xff);
    const members = [...coseOf(this.keys.publicKey, this.algorithm)];
    if (options.keyOrder === 'reversed') members.reverse();
    if (options.point) members.splice(-1, 1, [-3, options.point.y]);
    const attested = [aaguid, length, credentialId, cbor(new Map(members))];
    const authData = Buffer.concat([sha256(rpId), Buffer.of(flags), Buffer.alloc(4), ...(flags & AT ? attested : [])]);
    const clientDataHash = sha256(clientDataJson);
    const statement = options.statement?.(Buffer.concat([authData, clientDataHash]), { authData, clientDataHash });
    const object = new Map<string, Value>([
      ['fmt', options.format ?? 'none'],
      ['attStmt', statement ?? new Map()],
      ['authData', authData],
    ]);
    return {
      authenticatorName: options.name ?? 'a passkey',
      challenge,
      attestation: {
        credentialId: b64(this.credentialId),
        clientDataJson: b64(clientDataJson),
        attestationObject: b64(cbor(object)),
        transports: options.transports ?? ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
      },
    };
  }

  /** The same in the earlier form, as a browser answers. */
  registerV1(userId: string, options: Registering = {}) {
    const { authenticatorName, challenge, attestation } = this.register(options);
    const { credentialId, ...response } = attestation;
    return {
      authenticatorName,
      userId,
      challenge,
      attestation: {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        authenticatorAttachment: 'platform',
        response,
        clientExtensionResults: { credProps: { rk: true } },
      },
    };
  }

  /** Packed self attestation. */
  selfAttested(options: Registering = {}) {
    const statement = (signed: Buffer) =>
      new Map<string, Value>([
        ['alg', NAMES[this.algorithm]],
        ['sig', this.sign(signed)],
      ]);
    return this.register({ format: 'packed', statement, ...options });
  }

  /** The members of a stamp over a body. */
  assert(body: string | Buffer, options: Stamping = {}) {
    const { origin = ORIGIN, rpId = RP_ID, type = 'webauthn.get', flags = UP | UV, counter = 0 } = options;
    const challenge = options.challenge ?? b64(sha256(Buffer.from(body)).toString('hex'));
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const authenticatorData = Buffer.concat([sha256(rpId), Buffer.of(flags), count]);
    const clientDataJson = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
    const signature = this.sign(Buffer.concat([authenticatorData, sha256(clientDataJson)]));
    const parts = { authenticatorData, clientDataJson, signature, credentialId: Buffer.from(this.credentialId) };
    options.tamper?.(parts);
    return Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, b64(bytes)])) as Record<
      keyof typeof parts,
      string
    >;
  }

  /** The headers of a stamped request. */
  stamp(body: string | Buffer, options: Stamping = {}): Record<string, string> {
    return { 'X-Stamp-WebAuthn': JSON.stringify(this.assert(body, options)) };
  }
}
