/** Text shapes that several chains share. */
import { orEmpty, type TextShape } from '../../policy/language/shapes.ts';

export const hexOf = (count: number): TextShape => ({
  is: `0x and ${2 * count} hexadecimal digits`,
  pattern: `0x[0-9a-f]{${2 * count}}`,
});
export const lowerHex = (count?: number): TextShape => ({
  is: `${count === undefined ? '' : `${2 * count} `}lower-case hexadecimal digits without 0x`,
  pattern: `(?:[0-9a-f]{2})${count === undefined ? '*' : `{${count}}`}`,
});

export const account: TextShape = { ...hexOf(20), is: 'an Ethereum address: 0x and 40 hexadecimal digits' };
export const selector = orEmpty(hexOf(4));
export const calldata: TextShape = { is: 'hexadecimal digits after 0x, two for each byte', pattern: '0x(?:[0-9a-f]{2})*' };

export const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
