/** `@buildonspark/spark-sdk`, which has a folder of its own, because it is large: `npm test -- --full` installs it. */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { missing as missingOf, SPARK_SIGNER } from '../../../scripts/test/own-packages.ts';

type Commitment = { hiding: Uint8Array; binding: Uint8Array };

export type PublishedFrost = {
  signFrost(params: {
    message: Uint8Array;
    keyPackage: { secretKey: Uint8Array; publicKey: Uint8Array; verifyingKey: Uint8Array };
    nonce: Commitment;
    selfCommitment: Commitment;
    statechainCommitments: Record<string, Commitment>;
    adaptorPubKey: Uint8Array | undefined;
  }): Promise<Uint8Array>;
  encryptEcies(message: Uint8Array, publicKey: Uint8Array): Promise<Uint8Array>;
  decryptEcies(sealed: Uint8Array, privateKey: Uint8Array): Promise<Uint8Array>;
  validateShare(share: Uint8Array, index: number, threshold: number, proofs: readonly Uint8Array[]): Promise<void>;
  recoverSecret(
    shares: readonly { threshold: number; index: number; share: Uint8Array; proofs: Uint8Array[] }[],
  ): Promise<Uint8Array>;
};

type Derivation = { type: 'leaf'; path: string } | { type: 'deposit' } | { type: 'static_deposit'; path: number };

export type PublishedSigner = {
  createSparkWalletFromSeed(seed: Uint8Array, account: number): Promise<string>;
  getPublicKeyFromDerivation(derivation: Derivation): Promise<Uint8Array>;
};

type TransferPackage = { keyTweakPackage: Record<string, Uint8Array> };

export type PublishedSdk = {
  getSparkFrost(): PublishedFrost;
  DefaultSparkSigner: new () => PublishedSigner;
  getTransferPackageSigningPayload(transferId: string, transferPackage: TransferPackage): Uint8Array;
};

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGE = join(ROOT, SPARK_SIGNER.folder, 'node_modules/@buildonspark/spark-sdk');

/** Undefined, or why the tests that need it are skipped. */
export const missing: string | undefined = missingOf(ROOT, SPARK_SIGNER);

export const publishedSdk = async (): Promise<PublishedSdk> =>
  (await import(pathToFileURL(join(PACKAGE, 'dist/index.node.js')).href)) as PublishedSdk;

export type Protobuf = Record<'SendLeafKeyTweaks' | 'ClaimLeafKeyTweaks' | 'SecretShare', { decode(bytes: Uint8Array): unknown }>;

export const publishedMessages = async (): Promise<Protobuf> =>
  (await import(pathToFileURL(join(PACKAGE, 'dist/proto/spark.js')).href)) as Protobuf;
