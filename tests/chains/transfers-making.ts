/** Transactions and payloads, as libraries write them, and how they read. */
import { encodeFunctionData, parseAbi, serializeTransaction, type TransactionSerializable } from 'viem';
import { transactionTransfers } from '../../src/chains/read-transfers.ts';
import { payloadTransfers } from '../../src/chains/shared/payload-transfers.ts';
import { type Asset, covers, type Reading } from '../../src/chains/shared/transfers.ts';
import { publicKeyOf } from '../../src/crypto/curves.ts';
import { messages, typedText } from './transfers-typed.ts';

export type Hex = `0x${string}`;

const KEY = Buffer.from('0123456789012345678901234567890123456789012345678901234567890123', 'hex');
export const publicKey = publicKeyOf('CURVE_SECP256K1', KEY);
export const signer = { curve: 'CURVE_SECP256K1', publicKey } as const;
/** The account of the key. */
export const ME = '0x14791697260e4c9a71f18484c9f997b308e59325';
export const USDC: Hex = `0x${'33'.repeat(20)}`;
export const YOU: Hex = `0x${'44'.repeat(20)}`;
export const OTHER: Hex = `0x${'55'.repeat(20)}`;
export const ZERO: Hex = `0x${'00'.repeat(20)}`;
export const WORD: Hex = `0x${'07'.repeat(32)}`;

export const usdc: Asset = { namespace: 'eip155', chain: '8453', standard: 'erc20', token: USDC };
export const ether: Asset = { namespace: 'eip155', chain: '8453', standard: 'native', token: '' };

export const abi = parseAbi([
  'function transfer(address,uint256)',
  'function transferWithMemo(address,uint256,bytes32)',
  'function transferFrom(address,address,uint256)',
  'function transferFrom(address,address,uint160,address)',
  'function transferFromWithMemo(address,address,uint256,bytes32)',
  'function approve(address,uint256)',
  'function increaseAllowance(address,uint256)',
  'function decreaseAllowance(address,uint256)',
  'function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'function permit(address,address,uint256,uint256,bytes)',
  'function permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
  'function approve(address,address,uint160,uint48)',
  'function multicall(bytes[])',
  'function outboundTransfer(address,address,uint256,bytes)',
  'function outboundTransfer(address,address,uint256,uint256,uint256,bytes)',
  'function transferAndCall(address,uint256,bytes)',
]);
// biome-ignore lint/suspicious/noExplicitAny: viem's types of overloads.
export const call = (functionName: string, ...args: any[]): Hex => encodeFunctionData({ abi, functionName, args } as any);

export const MAX = 2n ** 256n - 1n;

export const evm = (given: Partial<TransactionSerializable> & Record<string, unknown>): Reading => {
  const bytes = serializeTransaction({ type: 'eip1559', chainId: 8453, nonce: 1, to: USDC, ...given } as TransactionSerializable);
  return transactionTransfers('TRANSACTION_TYPE_ETHEREUM', Buffer.from(bytes.slice(2), 'hex'), signer);
};
export const onToken = (...of: Parameters<typeof call>): Reading => evm({ data: call(...of) });
export const payload = (text: string, encoding = 'PAYLOAD_ENCODING_EIP712', curve = 'CURVE_SECP256K1'): Reading =>
  payloadTransfers({ payload: text, encoding, curve: curve as 'CURVE_SECP256K1', publicKey });
export const typed = (name: keyof typeof messages): Reading => payload(typedText(messages[name]));
export const authorization = (address: Hex, chainId = 8453) =>
  payload(JSON.stringify({ chainId, address, nonce: 1 }), 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION');

/** The summary that the documents show, from the viewpoint of one asset. */
export function summaryOf({ transfers, unreadable }: Reading, asset: Asset): string {
  const kinds = transfers
    .filter((each) => covers(each.asset, asset))
    .map(({ kind, repeats }) => (repeats ? `unlimited ${kind}` : kind));
  const causes = unreadable.filter((each) => covers(each, asset)).map(({ cause }) => `not readable (${cause})`);
  return [...new Set([...kinds, ...causes])].join(', ') || 'nothing';
}

/** The document's name of what is signed, an asset, and readings that must all have the same summary. */
export type Row = readonly [name: string, asset: Asset, summary: string, ...readings: Reading[]];
