/** Sessions of FROST as Spark's wallets run them, and the published signer's share of each. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { FrostRequest, Nonces } from '../../../src/crypto/spark/frost.ts';
import { hex } from '../vectors.ts';
import type { PublishedFrost } from './published-signer.ts';

/** In hex. `adaptorPublicKey`: '' if there is none. */
export type Session = {
  secret: string;
  message: string;
  verifyingKey: string;
  operatorCommitments: { id: string; hiding: string; binding: string }[];
  adaptorPublicKey: string;
  nonces: { hiding: string; binding: string };
};

const { Point } = secp256k1;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** `bytes`: a source of uniform bytes. The number of operators, and whether there is an adaptor, follow from `i`. */
export function sessionOf(i: number, bytes: (n: number) => Buffer): Session {
  const scalar = () => secp256k1.utils.randomSecretKey(bytes(48));
  const point = () => text(secp256k1.getPublicKey(scalar()));
  const secret = scalar();
  const verifyingKey = Point.fromBytes(secp256k1.getPublicKey(secret)).add(Point.fromHex(point())).toBytes();
  const operators = 1 + (i % 5);
  return {
    secret: text(secret),
    message: text(bytes(32)),
    verifyingKey: text(verifyingKey),
    operatorCommitments: Array.from({ length: operators }, () => ({ id: text(scalar()), hiding: point(), binding: point() })),
    adaptorPublicKey: i % 3 === 2 ? point() : '',
    nonces: { hiding: text(scalar()), binding: text(scalar()) },
  };
}

export const requestOf = ({ message, verifyingKey, operatorCommitments, adaptorPublicKey }: Session): FrostRequest => ({
  message: hex(message),
  verifyingKey: hex(verifyingKey),
  commitments: operatorCommitments.map(({ id, hiding, binding }) => ({
    id: hex(id),
    hiding: hex(hiding),
    binding: hex(binding),
  })),
  adaptor: adaptorPublicKey === '' ? undefined : hex(adaptorPublicKey),
});

export const noncesOf = ({ nonces: { hiding, binding } }: Session): Nonces => ({
  hiding: BigInt(`0x${hiding}`),
  binding: BigInt(`0x${binding}`),
});

export async function publishedShare(frost: PublishedFrost, session: Session): Promise<string> {
  const { message, verifyingKey, commitments, adaptor } = requestOf(session);
  const nonce = { hiding: hex(session.nonces.hiding), binding: hex(session.nonces.binding) };
  const secretKey = hex(session.secret);
  const share = await frost.signFrost({
    message,
    keyPackage: { secretKey, publicKey: secp256k1.getPublicKey(secretKey), verifyingKey },
    nonce,
    selfCommitment: { hiding: secp256k1.getPublicKey(nonce.hiding), binding: secp256k1.getPublicKey(nonce.binding) },
    statechainCommitments: Object.fromEntries(commitments.map(({ id, hiding, binding }) => [text(id), { hiding, binding }])),
    adaptorPubKey: adaptor,
  });
  return text(share);
}
