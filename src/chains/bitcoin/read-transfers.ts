import { toHex } from '../../base/bytes.ts';
import type { TransactionSigner } from '../shared/transaction.ts';
import { ANY, type Asset, fee, moved, ONCE, type Reading, readingOf, type Transfer, unread } from '../shared/transfers.ts';
import { networks } from './address.ts';
import { scriptAddress } from './outputs.ts';
import { ownScripts } from './own-scripts.ts';
import type { RawOutput } from './raw-transaction.ts';
import { readUnsigned } from './transaction.ts';

/** A key's signature is valid on every network that has the outputs. So a script has its mainnet address in all of them. */
const MAINNET = networks[0]!;

const bitcoin: Asset = { namespace: 'bip122', chain: ANY, standard: 'native', token: '' };

const sum = (outputs: readonly RawOutput[]): bigint => outputs.reduce((total, { value }) => total + value, 0n);

const out = (from: string, recipient: string | undefined, amount: bigint): Transfer => ({
  asset: bitcoin,
  kind: 'transfer',
  from,
  recipient,
  amount,
  ...ONCE,
});

/**
 * What a PSBT takes from its signer: its inputs, less the outputs to its own addresses. If others pay too, no share of an output is its
 * own, and only the whole is known. `siblings`: public keys of other accounts of its wallet, 33 bytes each.
 */
export const transfers = (bytes: Uint8Array, signer: TransactionSigner, siblings: readonly Uint8Array[] = []): Reading =>
  readingOf('bip122', () => {
    const { psbt, inputs, fee: charged, own, proven } = readUnsigned(bytes, signer);
    const all = own.length === inputs.length;
    if ((all ? proven : own.map(({ i }) => proven[i])).includes(false))
      return unread({ ...bitcoin, cause: 'amount', why: 'the amount of an input is not proven: give its previous transaction' });
    const scripts = new Set([signer.publicKey, ...siblings].flatMap((key) => [...ownScripts(key)]));
    const spent = own.map(({ i }) => inputs[i]!.spent);
    const { outputs } = psbt.transaction;
    const others = outputs.filter(({ script }) => !scripts.has(toHex(script)));
    const from = addressOf(spent[0]!.script) ?? '';
    if (all) {
      const paid = others.map(({ script, value }) => out(from, addressOf(script), value));
      return moved(...paid, fee(bitcoin, from, charged));
    }
    const kept = sum(outputs) - sum(others);
    return moved(out(from, undefined, sum(spent) - kept));
  });

function addressOf(script: Uint8Array): string | undefined {
  return scriptAddress(script, MAINNET).address || undefined;
}
