import { withElement, withImport } from './lists.ts';
import { camel, checkPlainName } from './names.ts';
import { type Made, read } from './tree.ts';

/** A new chain's folder with one address format. */
export function newChain(name: string): Made {
  checkPlainName(name, 'chain', 'near', `src/chains/${name}/address.ts`);
  const row = `${camel(name)}Address`;
  const format = `ADDRESS_FORMAT_${name.toUpperCase().replaceAll('-', '_')}`;
  const source = `import type { AddressFormat } from '../shared/address-format.ts';
import { asWritten } from '../shared/normalize.ts';

export const ${row}: AddressFormat = {
  name: '${format}',
  curves: ['CURVE_SECP256K1'],
  signature: 'ecdsa',
  encode() {
    throw new Error('${format} is not written yet');
  },
  normalize: asWritten,
};
`;
  const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${row} } from '../../../src/chains/${name}/address.ts';
import { hex } from '../../crypto/vectors.ts';

/** The public key of the private key 1. tests/vectors/addresses/SOURCE.md has more keys. */
const ONE = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const published: Record<string, string> = { [ONE]: 'the address by a library that shares no code with this repository' };

test('the addresses of an independent library', () => {
  for (const [publicKey, address] of Object.entries(published)) {
    assert.equal(${row}.encode(hex(publicKey), ${row}.curves[0]!), address);
    assert.equal(${row}.normalize(address), address);
  }
});
`;
  const list = 'src/chains/index.ts';
  const line = `import { ${row} } from './${name}/address.ts';`;
  return {
    files: [
      { path: `src/chains/${name}/address.ts`, text: source },
      { path: list, text: withElement(withImport(read(list), line), row, false) },
      { path: `tests/chains/${name}/address.test.ts`, text: test },
    ],
    next: [
      `write encode; ${format} goes into AddressFormat of src/wire/enums.ts`,
      'vectors go into tests/vectors/addresses/, their source into SOURCE.md there; the test that was written is then not needed',
      'a transaction type is a row of its own: docs/recipes/chain.md has the steps',
    ],
  };
}
