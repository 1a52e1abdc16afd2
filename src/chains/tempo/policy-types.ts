/** Tempo transactions as policies see them. The values are read from the bytes that are signed. */
import type { EnvironmentPart } from '../../policy/index.ts';
import { orEmpty, type Shapes } from '../../policy/language/shapes.ts';
import { HEX, INT, listOf, struct } from '../../policy/language/types.ts';
import { account, calldata, selector } from '../shared/text-shapes.ts';

const tempoCall = struct('TempoCall', { to: HEX, value: INT, input: HEX, function_signature: HEX });

const tempoTransaction = struct('TempoTransaction', {
  chain_id: INT,
  from: HEX,
  nonce: INT,
  gas_limit: INT,
  max_fee_per_gas: INT,
  max_priority_fee_per_gas: INT,
  fee_token: HEX,
  valid_before: INT,
  valid_after: INT,
  calls: listOf(tempoCall),
});

const shapes: Shapes = {
  TempoTransaction: { from: account, fee_token: orEmpty(account) },
  TempoCall: { to: orEmpty(account), input: calldata, function_signature: selector },
};

export const tempoPolicyTypes: EnvironmentPart = {
  roots: [{ keyword: 'tempo.tx', part: 'condition', type: tempoTransaction }],
  shapes,
};
