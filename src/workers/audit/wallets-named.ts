import type { DecodedActivity, Decoder } from '../../engine/activity/decode.ts';
import { type Activity, isSealed, SEALED_TEXT } from '../../model/activity.ts';

/** What an activity names: ids of wallets, and what it signs with, which may be an account of a wallet. */
export type Named = { walletIds: Set<string>; signers: Set<string> };

const IDS = new Set(['walletId', 'walletIds']);
/** Fields with the address of an account. */
const SIGNERS = new Set(['signWith', 'signWiths', 'from', 'address', 'privateKeyId']);

const DEEPEST = 8;
/** An activity may name more: its facts then lack the rest. */
const MOST = 200;

function collect(value: unknown, fields: ReadonlySet<string>, into: Set<string>, within = false, depth = 0): void {
  if (into.size >= MOST || depth > DEEPEST) return;
  if (typeof value === 'string') {
    if (within) into.add(value);
  } else if (Array.isArray(value)) {
    for (const one of value) collect(one, fields, into, within, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) collect(one, fields, into, fields.has(name), depth + 1);
  }
}

/** Undefined for parameters that were refused as malformed. No activity with a sealed body names a wallet. */
export function decodedOf(activity: Activity, decode: Decoder): DecodedActivity | undefined {
  try {
    return isSealed(activity.body) ? undefined : decode(activity);
  } catch {
    return undefined;
  }
}

export function walletsNamed({ result }: Activity, decoded: DecodedActivity | undefined): Named {
  const named: Named = { walletIds: new Set(), signers: new Set() };
  collect(decoded?.intent, IDS, named.walletIds);
  collect(decoded?.intent, SIGNERS, named.signers);
  if (result !== '' && !result.startsWith(SEALED_TEXT)) collect(JSON.parse(result), IDS, named.walletIds);
  return named;
}
