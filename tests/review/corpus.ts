/**
 * Bodies of all kinds, and how they read. The transactions were made by viem, web3.js, bitcoinjs-lib, tronweb and by hand. Their readings were
 * looked at one by one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Call, Review } from '../../review/index.ts';

export type Entry = {
  readonly name: string;
  readonly type: string;
  readonly parameters: { readonly [name: string]: unknown };
  /** The key, where policies see more than the body. */
  readonly signer?: { readonly curve: string; readonly publicKey: string; readonly format?: string };
  readonly interfaces?: Readonly<Record<string, string>>;
  readonly reading: readonly string[];
};

const FOLDER = new URL('./corpus/', import.meta.url);

export const corpus: readonly Entry[] = readdirSync(FOLDER)
  .toSorted()
  .flatMap((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Entry[]);

export const bodyOf = ({ type, parameters }: Pick<Entry, 'type' | 'parameters'>): Uint8Array =>
  Buffer.from(
    JSON.stringify({ type, timestampMs: '1796000000000', organizationId: '0191f3c2-0000-7000-8000-000000000001', parameters }),
  );

const callLines = (call: Call, depth: number): string[] => [
  `${'  '.repeat(depth)}${call.isDelegate ? 'delegate ' : ''}call ${call.to || 'new'}: ${call.function ?? call.data ?? 'plain'}${
    call.value === undefined ? '' : ` with ${call.value.amount} ${call.value.unit}`
  }${call.named === undefined ? '' : ` (${call.named})`}`,
  ...call.arguments.map(({ name, value }) => `${'  '.repeat(depth)}  ${name}: ${value}`),
  ...call.calls.flatMap((each) => callLines(each, depth + 1)),
];

/** A reading in lines, without the fields of the body. */
export const readingOf = ({ title, form, readable, facts, calls, warnings }: Review): string[] => [
  `${title} [${form}${readable ? '' : ', not readable'}]`,
  ...facts.map(
    ({ label, value, unit, note }) =>
      `${label}: ${value}${unit === undefined ? '' : ` ${unit}`}${note === undefined ? '' : ` (${note})`}`,
  ),
  ...calls.flatMap((call) => callLines(call, 0)),
  ...warnings.map(({ code, level, text, at }) => `${level} ${code}: ${text}${at === undefined ? '' : ` (${at})`}`),
];
