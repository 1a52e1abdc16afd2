import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { TvcApp } from './app.ts';
import { operatorKey, type TvcOperator, type TvcOperatorSet } from './operator.ts';

const Hex = z.string().regex(/^([0-9a-f]{2})*$/, 'must be lower-case hex');
/** A lone surrogate would be shown, and the hash would be of U+FFFD. */
const Text = z.string().refine((text) => text.isWellFormed(), 'must not hold a lone surrogate');
const U32 = z.int().min(0).max(0xffff_ffff);
const Port = z.int().min(0).max(0xffff);
const OperatorSet = z.strictObject({ threshold: U32, members: z.array(z.strictObject({ alias: Text, pubKey: Hex })) });

/** Version 1 of the public manifest. It refuses other members, because the hash would not cover them. */
export const Manifest = z.strictObject({
  namespace: z.strictObject({ name: Text, nonce: U32, quorumKey: Hex }),
  pivot: z.strictObject({
    hash: Hex.length(64),
    restart: z.enum(['Never', 'Always']),
    bridgeConfig: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('server'), port: Port, host: Text }),
        z.strictObject({ type: z.literal('client'), port: Port, host: Text.nullable() }),
      ]),
    ),
    debugMode: z.boolean(),
    args: z.array(Text),
  }),
  manifestSet: OperatorSet,
  shareSet: OperatorSet,
  enclave: z.strictObject({ pcr0: Hex, pcr1: Hex, pcr2: Hex, pcr3: Hex, awsRootCertificate: Hex, qosCommit: Text }),
  patchSet: z.strictObject({ threshold: U32, members: z.array(z.strictObject({ pubKey: Hex })) }),
});

export type Manifest = z.output<typeof Manifest>;

const number = (width: 1 | 2 | 4, value: number): Buffer => {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntLE(value, 0, width);
  return bytes;
};
const flag = (on: boolean): Buffer => number(1, on ? 1 : 0);
const bytes = (value: Buffer): Buffer => Buffer.concat([number(4, value.length), value]);
const text = (value: string): Buffer => bytes(Buffer.from(value));
const hex = (value: string): Buffer => bytes(Buffer.from(value, 'hex'));
const list = <T>(values: readonly T[], one: (value: T) => Buffer): Buffer =>
  Buffer.concat([number(4, values.length), ...values.map(one)]);
const option = <T>(value: T | null, one: (value: T) => Buffer): Buffer =>
  value === null ? number(1, 0) : Buffer.concat([number(1, 1), one(value)]);

const operatorSet = ({ threshold, members }: Manifest['manifestSet']): Buffer =>
  Buffer.concat([number(4, threshold), list(members, ({ alias, pubKey }) => Buffer.concat([text(alias), hex(pubKey)]))]);

/** The Borsh form: members in order, numbers little-endian, a length of four bytes before each text, byte string and list. */
function borsh({ namespace, pivot, manifestSet, shareSet, enclave, patchSet }: Manifest): Buffer {
  return Buffer.concat([
    text(namespace.name),
    number(4, namespace.nonce),
    hex(namespace.quorumKey),
    // The one byte string of a fixed length.
    Buffer.from(pivot.hash, 'hex'),
    number(1, pivot.restart === 'Never' ? 0 : 1),
    list(pivot.bridgeConfig, (bridge) =>
      bridge.type === 'server'
        ? Buffer.concat([number(1, 0), number(2, bridge.port), text(bridge.host)])
        : Buffer.concat([number(1, 1), number(2, bridge.port), option(bridge.host, text)]),
    ),
    flag(pivot.debugMode),
    list(pivot.args, text),
    operatorSet(manifestSet),
    operatorSet(shareSet),
    ...[enclave.pcr0, enclave.pcr1, enclave.pcr2, enclave.pcr3, enclave.awsRootCertificate].map(hex),
    text(enclave.qosCommit),
    number(4, patchSet.threshold),
    list(patchSet.members, ({ pubKey }) => hex(pubKey)),
  ]);
}

/** What operators sign, and attestation documents name: 32 bytes. */
export const manifestHash = (manifest: Manifest): Buffer => createHash('sha256').update(borsh(manifest)).digest();

/** A platform configuration register without hardware that fills it. */
const NO_PCR = '00'.repeat(48);

export type SetWithOperators = { set: TvcOperatorSet; operators: readonly TvcOperator[] };

type Wanted = {
  app: TvcApp;
  manifestSet: SetWithOperators;
  shareSet: SetWithOperators;
  nonce: number;
  qosVersion: string;
  pivotDigest: string;
  pivotArgs: readonly string[];
  debugMode: boolean;
  ports: readonly number[];
};

const membersOf = ({ operators }: SetWithOperators) => operators.map((one) => ({ alias: one.name, pubKey: operatorKey(one) }));

/** The manifest of a new deployment. No enclave measures it, so the registers are zero and there is no root certificate. */
export function manifestOf({ app, manifestSet, shareSet, nonce, qosVersion, ...pivot }: Wanted): Manifest {
  const share = { threshold: shareSet.set.threshold, members: membersOf(shareSet) };
  return {
    namespace: { name: `prod/tvc/${app.id}`, nonce, quorumKey: app.quorumPublicKey },
    pivot: {
      hash: pivot.pivotDigest,
      restart: 'Always',
      bridgeConfig: [...new Set(pivot.ports)].map((port) => ({ type: 'server', port, host: '0.0.0.0' })),
      debugMode: pivot.debugMode,
      args: [...pivot.pivotArgs],
    },
    manifestSet: { threshold: manifestSet.set.threshold, members: membersOf(manifestSet) },
    shareSet: share,
    enclave: { pcr0: NO_PCR, pcr1: NO_PCR, pcr2: NO_PCR, pcr3: NO_PCR, awsRootCertificate: '', qosCommit: qosVersion },
    patchSet: { threshold: share.threshold, members: share.members.map(({ pubKey }) => ({ pubKey })) },
  };
}
