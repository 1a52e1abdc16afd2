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

const UNPROVEN = 'the amount of an input is not proven: give the previous transaction of each input';

/**
 * What a PSBT takes from its signer: the inputs that it signs, less the outputs to its wallet. These are subtracted where all inputs
 * are the wallet's, for the key of the first one. Several keys, or two names of one key, may sign in turn. They do not subtract an
 * output twice. `siblings`: public keys of the wallet's other accounts.
 */
export const transfers = (bytes: Uint8Array, signer: TransactionSigner, siblings: readonly Uint8Array[] = []): Reading =>
  readingOf('bip122', () => {
    const { psbt, inputs, fee: charged, own, proven } = readUnsigned(bytes, signer);
    const scripts = new Set([signer.publicKey, ...siblings].flatMap((key) => [...ownScripts(key)]));
    const isOurs = ({ script }: RawOutput) => scripts.has(toHex(script));
    const signed = new Set(own.map(({ i }) => i));
    const subtracts = signed.has(0) && inputs.every(({ spent }, i) => signed.has(i) || isOurs(spent));
    // Only proven inputs are surely the wallet's.
    if (proven.some((isProven, i) => !isProven && (subtracts || signed.has(i))))
      return unread({ ...bitcoin, cause: 'amount', why: UNPROVEN });
    const { outputs } = psbt.transaction;
    const from = addressOf(inputs[own[0]!.i]!.spent.script) ?? '';
    if (own.length === inputs.length) {
      const paid = outputs.filter((output) => !isOurs(output));
      return moved(...paid.map(({ script, value }) => out(from, addressOf(script), value)), fee(bitcoin, from, charged));
    }
    // No output can be named that these inputs pay.
    const spent = sum(own.map(({ i }) => inputs[i]!.spent));
    return moved(out(from, undefined, spent - (subtracts ? sum(outputs.filter(isOurs)) : 0n)));
  });

function addressOf(script: Uint8Array): string | undefined {
  return scriptAddress(script, MAINNET).address || undefined;
}
