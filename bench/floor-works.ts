/** The work of the floor (bench/floor.ts) with an opened key: the least that gives the answer, by the fastest native code. */
import { createECDH, createHmac, createPrivateKey, hash, pbkdf2, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Found } from './floor-store.ts';
import { floorKeys, importPublicKey } from './stamp.ts';
import { SOLANA_MESSAGE, signedTransfer } from './transactions.ts';

type Secp256k1 = {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  privateKeyVerify(key: Uint8Array): boolean;
  /** In place. */
  privateKeyTweakAdd(key: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
};
type Sodium = {
  crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer): void;
  crypto_sign_detached(signature: Buffer, message: Buffer, secretKey: Buffer): void;
};
type Signature = { r: string; s: string; v: string };

/** Parameters as they came: the floor checks nothing. */
export type Parameters = {
  payload: string;
  payloads: string[];
  unsignedTransaction: string;
  publicKey: string;
  verificationToken: string;
  subOrganizationName: string;
  rootUsers: { userName: string; apiKeys: { publicKey: string }[] }[];
  clientSignature: { publicKey: string; message: string; signature: string };
};

export type Work = {
  /** The 32 bytes that are kept sealed. */
  key: Buffer;
  /** The result of the activity, by the key that `open` opens, or with keys that `seal` seals. */
  run(parameters: Parameters, open: () => Buffer, seal: (key: Buffer) => Buffer): object | Promise<object>;
  /** The rows without which the answer would be worth nothing: the session's key, or each object of a new organization. */
  makes?(parameters: Parameters, result: object, activity: { id: string; organizationId: string }): Found[];
};

const load = createRequire(import.meta.url);

let keccak: (data: Uint8Array) => Uint8Array = keccak_256;

/** Makes hashes from then on by the same package as the service. */
export async function hashByWebAssembly(): Promise<void> {
  const { compiled, keccak256 } = await import('../src/crypto/keccak.ts');
  if (await compiled) keccak = keccak256;
}

/** r ‖ s as the service writes it. */
const textOf = (made: Buffer, recovery: number): Signature => ({
  r: made.toString('hex', 0, 32),
  s: made.toString('hex', 32, 64),
  v: `0${recovery}`,
});

/** An opened key is wiped as the service does it. */
function withKey<T>(open: () => Buffer, use: (key: Buffer) => T): T {
  const key = open();
  const made = use(key);
  key.fill(0);
  return made;
}

function secp256k1() {
  // The bindings, not the package: the package falls back to a slow implementation without saying so.
  const bindings = load('secp256k1/bindings') as Secp256k1;
  let key = randomBytes(32);
  while (!bindings.privateKeyVerify(key)) key = randomBytes(32);
  const signDigest = (digest: Uint8Array, opened: Buffer) => {
    const { signature, recid } = bindings.ecdsaSign(digest, opened);
    return { made: Buffer.from(signature.buffer, signature.byteOffset, 64), recid };
  };
  return { key, signDigest };
}

function signPayload(): Work {
  const { key, signDigest } = secp256k1();
  return {
    key,
    run({ payload }, open) {
      const digest = keccak(Buffer.from(payload.slice(2), 'hex'));
      const { made, recid } = withKey(open, (opened) => signDigest(digest, opened));
      return textOf(made, recid);
    },
  };
}

function signDigests(): Work {
  const { key, signDigest } = secp256k1();
  return {
    key,
    run: ({ payloads }, open) =>
      withKey(open, (opened) => ({
        signatures: payloads.map((payload) => {
          const { made, recid } = signDigest(Buffer.from(payload, 'hex'), opened);
          return textOf(made, recid);
        }),
      })),
  };
}

function signEthereumTransfer(): Work {
  const { key, signDigest } = secp256k1();
  return {
    key,
    run({ unsignedTransaction }, open) {
      const unsigned = Buffer.from(unsignedTransaction, 'hex');
      const digest = keccak(unsigned);
      const { made, recid } = withKey(open, (opened) => signDigest(digest, opened));
      return { signedTransaction: signedTransfer(unsigned, recid, made).toString('hex') };
    },
  };
}

function ed25519() {
  const sodium = load('sodium-native') as Sodium;
  const signMessage = (signature: Buffer, message: Buffer, seed: Buffer) => {
    const secretKey = Buffer.alloc(64);
    sodium.crypto_sign_seed_keypair(Buffer.alloc(32), secretKey, seed);
    sodium.crypto_sign_detached(signature, message, secretKey);
    secretKey.fill(0);
  };
  return { key: randomBytes(32), signMessage };
}

function signMessage(): Work {
  const { key, signMessage } = ed25519();
  return {
    key,
    run({ payload }, open) {
      const made = Buffer.alloc(64);
      const message = Buffer.from(payload.slice(2), 'hex');
      withKey(open, (seed) => signMessage(made, message, seed));
      return textOf(made, 0);
    },
  };
}

function signSolanaTransfer(): Work {
  const { key, signMessage } = ed25519();
  return {
    key,
    run({ unsignedTransaction }, open) {
      const bytes = Buffer.from(unsignedTransaction, 'hex');
      withKey(open, (seed) => signMessage(bytes.subarray(1, SOLANA_MESSAGE), bytes.subarray(SOLANA_MESSAGE), seed));
      return { signedTransaction: bytes.toString('hex') };
    },
  };
}

/**
 * OpenSSL with a random nonce. The service's signatures are deterministic (RFC 6979) and have a recovery id. OpenSSL gives
 * neither, so JavaScript makes them around its curve. The ratio shows what that costs.
 */
function signP256(): Work {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys();
  const publicPart = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) };
  return {
    key: Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex'),
    run({ payload }, open) {
      const message = Buffer.from(payload.slice(2), 'hex');
      // Of the ways to give OpenSSL 32 bytes as a key, the fastest.
      const key = withKey(open, (opened) =>
        createPrivateKey({ key: { ...publicPart, d: opened.toString('base64url') }, format: 'jwk' }),
      );
      return textOf(sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' }), 0);
    },
  };
}

const HARDENED = 0x80000000;
/** m/44'/60'/0'/0/0 */
const PATH = [44 + HARDENED, 60 + HARDENED, HARDENED, 0, 0];
const stretch = promisify(pbkdf2);

/** A new mnemonic of 12 words, its seed (BIP-39) and the key of one path (BIP-32); both are sealed. */
function newWallet(): Work {
  const bindings = load('secp256k1/bindings') as Secp256k1;
  const hmac = (key: Buffer | string, data: Buffer) => createHmac('sha512', key).update(data).digest();
  return {
    key: randomBytes(32),
    async run(_parameters, _open, seal) {
      const mnemonic = Buffer.from(entropyToMnemonic(randomBytes(16), wordlist));
      const seed = await stretch(mnemonic, 'mnemonic', 2048, 64, 'sha512');
      let node = hmac('Bitcoin seed', seed);
      for (const index of PATH) {
        const [key, chain] = [node.subarray(0, 32), node.subarray(32)];
        const data = Buffer.alloc(37);
        data.set(index >= HARDENED ? key : bindings.publicKeyCreate(key, true), index >= HARDENED ? 1 : 0);
        data.writeUInt32BE(index, 33);
        node = hmac(chain, data);
        bindings.privateKeyTweakAdd(node.subarray(0, 32), key);
      }
      const key = node.subarray(0, 32);
      const point = bindings.publicKeyCreate(key, false);
      const address = `0x${Buffer.from(keccak(point.subarray(1))).toString('hex', 12)}`;
      return { address, sealed: [seal(mnemonic), seal(key)].map((bytes) => bytes.toString('base64')) };
    },
    makes({ subOrganizationName, rootUsers: [user] }, result, { organizationId: parentId }) {
      const [organizationId, userId, walletId] = [randomUUID(), randomUUID(), randomUUID()];
      const { address } = result as { address: string };
      const { userName, apiKeys } = user!;
      return [
        ['organization', organizationId, JSON.stringify({ parentId, name: subOrganizationName, root: userId })],
        ['user', userId, JSON.stringify({ organizationId, name: userName })],
        ...apiKeys.map(({ publicKey }): Found => ['key', publicKey, JSON.stringify({ organizationId, userId })]),
        ['wallet', walletId, JSON.stringify({ organizationId, ...result })],
        ['address', `${organizationId} ${address}`, JSON.stringify({ walletId, path: PATH })],
      ];
    },
  };
}

const base64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A session: the login is signed twice hashed, as the published service does it. */
function stampLogin(): Work {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys();
  const publicPart = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) };
  const header = base64Url({ alg: 'ES256', typ: 'JWT' });
  return {
    key: Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex'),
    run({ publicKey }, open) {
      const claims = { exp: Math.floor(Date.now() / 1000) + 900, public_key: publicKey, session_type: 'SESSION_TYPE_READ_WRITE' };
      const text = `${header}.${base64Url(claims)}`;
      const key = withKey(open, (opened) =>
        createPrivateKey({ key: { ...publicPart, d: opened.toString('base64url') }, format: 'jwk' }),
      );
      const signature = sign('sha256', hash('sha256', text, 'buffer'), { key, dsaEncoding: 'ieee-p1363' });
      return { session: `${text}.${signature.toString('base64url')}` };
    },
    makes: ({ publicKey }, _result, activity) => [
      ['key', publicKey, JSON.stringify({ ...activity, expiresAt: Date.now() + 900_000 })],
    ],
  };
}

/** The token is verified with a key that stays, the client's signature with a new one. */
function otpLogin(): Work {
  const login = stampLogin();
  const tokenKey = importPublicKey(floorKeys().apiPublicKey);
  return {
    ...login,
    run(parameters, open, seal) {
      const { verificationToken, clientSignature } = parameters;
      const end = verificationToken.lastIndexOf('.');
      const signature = Buffer.from(verificationToken.slice(end + 1), 'base64url');
      const signed = Buffer.from(verificationToken.slice(0, end));
      if (!verify('sha256', signed, { key: tokenKey, dsaEncoding: 'ieee-p1363' }, signature)) throw new Error('a bad token');
      const clientKey = importPublicKey(clientSignature.publicKey);
      const own = Buffer.from(clientSignature.signature, 'hex');
      if (!verify('sha256', Buffer.from(clientSignature.message), clientKey, own)) throw new Error('a bad signature');
      return login.run(parameters, open, seal);
    },
  };
}

export const works = {
  'stamp-login': stampLogin,
  'otp-login': otpLogin,
  secp256k1: signPayload,
  'secp256k1-digests': signDigests,
  'ethereum-transfer': signEthereumTransfer,
  ed25519: signMessage,
  'solana-transfer': signSolanaTransfer,
  p256: signP256,
  'new-wallet': newWallet,
} satisfies Record<string, () => Work>;

export type WorkName = keyof typeof works;

export function workNamed(name: string): Work {
  if (!Object.hasOwn(works, name)) throw new Error(`--work is one of ${Object.keys(works).join(', ')}`);
  return works[name as WorkName]();
}
