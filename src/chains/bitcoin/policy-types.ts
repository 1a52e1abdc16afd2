/** Bitcoin transactions as policies see them. The values are read from the bytes that are signed. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { oneOf, type Shapes } from '../../policy/language/shapes.ts';
import { BOOL, INT, listOf, STRING, struct, textOf } from '../../policy/language/types.ts';
import { lowerHex } from '../shared/text-shapes.ts';
import { bitcoinAddress } from './address-form.ts';

const bitcoinInput = struct('BitcoinInput', { tx_id: STRING, vout: INT, sequence: INT, amount_proven: BOOL });

const bitcoinOutput = struct('BitcoinOutput', {
  value: INT,
  script_pubkey: STRING,
  address: textOf(bitcoinAddress),
  address_type: STRING,
});

const bitcoinLocktime = struct('BitcoinLocktime', { amount: INT, type: STRING });

export const bitcoinTransaction = struct('BitcoinTransaction', {
  version: STRING,
  inputs: listOf(bitcoinInput),
  outputs: listOf(bitcoinOutput),
  locktime: bitcoinLocktime,
  fee: INT,
});

const shapes: Shapes = {
  BitcoinTransaction: { version: { is: 'a number', pattern: '-?[0-9]+' } },
  BitcoinInput: { tx_id: lowerHex(32) },
  BitcoinOutput: {
    script_pubkey: lowerHex(),
    // `address_type` tells the kinds of address apart.
    address: { is: "a Bitcoin address, or ''" },
    address_type: oneOf('P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR', 'OP_RETURN', 'UNKNOWN'),
  },
  BitcoinLocktime: { type: oneOf('Seconds', 'Blocks') },
};

export const bitcoinPolicyTypes: EnvironmentPart = {
  roots: [{ keyword: 'bitcoin.tx', part: 'condition', type: bitcoinTransaction }],
  shapes,
};
