import type { Decoder } from '../../engine/activity/decode.ts';
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

/** Parameters that were refused as malformed name nothing. No activity with a sealed body names a wallet. */
function intentOf(activity: Activity, decode: Decoder): unknown {
  try {
    return isSealed(activity.body) ? {} : decode(activity).intent;
  } catch {
    return {};
  }
}

export function walletsNamed(activity: Activity, decode: Decoder): Named {
  const named: Named = { walletIds: new Set(), signers: new Set() };
  const intent = intentOf(activity, decode);
  collect(intent, IDS, named.walletIds);
  collect(intent, SIGNERS, named.signers);
  const { result } = activity;
  if (result !== '' && !result.startsWith(SEALED_TEXT)) collect(JSON.parse(result), IDS, named.walletIds);
  return named;
}
