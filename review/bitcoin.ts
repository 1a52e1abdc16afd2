import { sameBytes, toHex } from '../src/base/bytes.ts';
import { feeOf } from '../src/chains/bitcoin/amounts.ts';
import { networkOf, scriptAddress } from '../src/chains/bitcoin/outputs.ts';
import { readPsbt } from '../src/chains/bitcoin/psbt.ts';
import { readInputs } from '../src/chains/bitcoin/psbt-inputs.ts';
import { transactionView } from '../src/chains/bitcoin/transaction.ts';
import { BTC, whole } from './amounts.ts';
import { signedBy } from './evm/transaction.ts';
import { fact, fieldsOf, type Given, type Read } from './parts.ts';
import type { Fact, Warning } from './types.ts';

/** The network of an address, by its start. Testnet and signet share theirs. Undefined: no address. */
function formatOf(address: string): string | undefined {
  if (/^bcrt1/i.test(address)) return 'ADDRESS_FORMAT_BITCOIN_REGTEST_';
  if (/^tb1/i.test(address) || /^[mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(address)) return 'ADDRESS_FORMAT_BITCOIN_TESTNET_';
  if (/^bc1/i.test(address) || /^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(address)) return 'ADDRESS_FORMAT_BITCOIN_MAINNET_';
  return undefined;
}

const bitcoins = (label: string, amount: bigint, more: Partial<Fact> = {}): Fact =>
  fact(label, whole(amount, BTC.decimals), 'amount', { unit: BTC.unit, ...more });

/** A PSBT: what is spent, what is paid, what comes back, and the fee. */
export function readBitcoin(bytes: Uint8Array, signWith: string, _given: Given): Read {
  const format = formatOf(signWith);
  const network = networkOf(format);
  const psbt = readPsbt(bytes);
  const inputs = readInputs(psbt);
  const { outputs } = psbt.transaction;
  const fee = feeOf(inputs, psbt.transaction);
  const addressOf = (script: Uint8Array): string => scriptAddress(script, network).address;
  const shown = (script: Uint8Array): string => addressOf(script) || `a script without an address: ${toHex(script)}`;
  const own = inputs.filter(({ spent }) => addressOf(spent.script) === signWith);
  // Taproot signatures cover the amounts of all inputs.
  const covered = own.length > 0 && own.every(({ spent }) => scriptAddress(spent.script, network).address_type === 'P2TR');
  const proven = inputs.map(({ hasNonWitnessUtxo }) => covered || hasNonWitnessUtxo);
  const comesBack = (script: Uint8Array) => own.some(({ spent }) => sameBytes(spent.script, script));
  const paid = outputs.filter(({ script }) => !comesBack(script));
  const sum = (list: readonly { value: bigint }[]) => list.reduce((total, { value }) => total + value, 0n);
  const warnings: Warning[] = [];
  if (proven.includes(false))
    warnings.push({ code: 'not-proven', level: 'red', text: 'The amount of an input is not proven, so the fee may be greater' });
  if (format === undefined)
    warnings.push({
      code: 'no-network',
      level: 'amber',
      text: 'The bytes name no network: addresses are those of the main network',
    });
  if (fee > 0n && fee * 10n > sum(outputs))
    warnings.push({ code: 'high-fee', level: 'red', text: 'The fee is more than a tenth of what is paid' });
  if (inputs.length > own.length && own.length > 0)
    warnings.push({ code: 'other-inputs', level: 'amber', text: 'Other addresses spend too' });
  const facts = [
    signedBy(signWith),
    ...inputs.flatMap(({ spent }, i) => [
      fact(`input ${i + 1}`, shown(spent.script), 'address', proven[i] ? {} : { note: 'amount not proven' }),
      bitcoins('spends', spent.value),
    ]),
    ...outputs.flatMap(({ script, value }, i) => [
      fact(
        `output ${i + 1}`,
        shown(script),
        'address',
        comesBack(script) ? { note: 'comes back to the signing address' } : { main: true },
      ),
      bitcoins(comesBack(script) ? 'comes back' : 'pays', value),
    ]),
    bitcoins('fee', fee),
  ];
  const view = transactionView(psbt.transaction, { fee, proven }, format);
  return {
    title: `Send ${whole(sum(paid), BTC.decimals)} BTC`,
    form: 'bitcoin',
    facts,
    warnings,
    elements: [[...fieldsOf(view, 'bitcoin.tx')]],
  };
}
