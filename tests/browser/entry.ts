/** The code that is bundled for a browser: chains and policies. Only texts pass between the two contexts. */
import { fromHex, toHex } from '../../src/base/bytes.ts';
import { addressFormats } from '../../src/chains/index.ts';
import { chainPolicyTypes } from '../../src/chains/policy-types.ts';
import { transactionTransfers } from '../../src/chains/read-transfers.ts';
import { payloadToSign } from '../../src/chains/shared/payload.ts';
import { payloadView } from '../../src/chains/shared/policy-view.ts';
import { transactionTypes } from '../../src/chains/transactions.ts';
import type { Curve } from '../../src/crypto/curve-type.ts';
import type { ToSign } from '../../src/crypto/signing-types.ts';
import {
  buildIndex,
  compilePolicy,
  coreRoots,
  decide,
  makeEnvironment,
  openRequest,
  type PolicySource,
  STRING,
} from '../../src/policy/index.ts';

export type Unsigned = {
  name: string;
  hex: string;
  curve: Curve;
  publicKey: string;
  format?: string;
  /** A contract's interface by its address. */
  interfaces?: Record<string, string>;
};

const bytesOf = (hex: string): Uint8Array => {
  const bytes = fromHex(hex);
  if (bytes === undefined) throw new Error('not hex');
  return bytes;
};
const hexOf = (input: ToSign): string => toHex('digest' in input ? input.digest : input.message);
const text = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item instanceof Map ? [...item] : item));

function parse({ name, hex, curve, publicKey, format }: Unsigned) {
  const row = transactionTypes.find((type) => type.name === name)!;
  const address = format === undefined ? {} : { address: { text: 'its address', format } };
  const signer = { curve, publicKey: bytesOf(publicKey), ...address };
  return { row, parsed: row.parse(bytesOf(hex), signer), taken: transactionTransfers(name, bytesOf(hex), signer) };
}

export function transaction(unsigned: Unsigned): string {
  const { row, parsed, taken } = parse(unsigned);
  const view = parsed.view(new Map(Object.entries(unsigned.interfaces ?? {})));
  const signature = { r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2), v: 0 };
  const signed = toHex(parsed.attach(parsed.toSign.map(() => signature)));
  return text({ root: row.root, contracts: parsed.contracts, view, toSign: parsed.toSign.map(hexOf), signed, taken });
}

export function payload(given: { payload: string; encoding: string; hashFunction: string; curve: Curve }): string {
  const roots = Object.entries(payloadView(given.payload, given.encoding)).map(([root, read]) => [root, read()]);
  return text({ toSign: hexOf(payloadToSign(given)), roots });
}

/** Every address of a key, and its normalized form for look-ups. */
export function addresses(curve: Curve, publicKey: string): string {
  const formats = addressFormats.filter(({ curves }) => curves.includes(curve));
  return text(
    formats.map(({ name, encode, normalize }) => {
      const address = encode(bytesOf(publicKey), curve);
      return [name, address, normalize(address)];
    }),
  );
}

/** The policy's outcome for the transaction. */
export function decision(source: PolicySource, unsigned: Unsigned): string {
  const parameters = { ACTIVITY_TYPE_SIGN_TRANSACTION_V2: { type: STRING } };
  const environment = makeEnvironment([...coreRoots(parameters), ...chainPolicyTypes.flatMap(({ roots }) => roots)]);
  const compiled = compilePolicy(source, environment);
  if (!compiled.ok) return text(compiled.errors);
  const { row, parsed } = parse(unsigned);
  const activity = {
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    kind: 'SIGN_TRANSACTION',
    resource: 'PRIVATE_KEY',
    action: 'SIGN',
  };
  const { outcome, policyEvaluations } = decide({
    index: buildIndex([{ id: 'the policy', policy: compiled.policy }]),
    elements: [openRequest({ activity: { ...activity, params: { type: row.name } }, [row.root]: () => parsed.view(new Map()) })],
    rootQuorum: { threshold: 1, userIds: [] },
    voters: [{ user: { id: 'ann', tags: [], email: '', alias: '' }, credentials: [] }],
    defaultAllowance: false,
    nowMs: 0,
  });
  return text({ outcome, policyEvaluations });
}
