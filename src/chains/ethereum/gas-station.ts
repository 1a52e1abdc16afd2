import { concat, hexBytes, toHex, utf8 } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { type Encoded, encodeAddress, encodeBytes, encodeList, encodeNumber, encodeTuple } from './abi-encode.ts';

/**
 * Messages that an account signs, and the data of the transactions that bring them (contracts/README.md). Another account brings a
 * message to the chain and pays the gas. Addresses are 0x and 40 hex digits of any case, data 0x and an even number of hex digits.
 */
type Hex = `0x${string}`;

/** `value`: wei, from the account's balance. */
export type Call = { readonly to: Hex; readonly value: bigint; readonly data: Hex };

/** The account that signs, on one chain. */
export type Signer = { readonly chainId: bigint; readonly address: Hex };

/** `nonce`: the account's next one at its delegate. `deadline`: the last second, since 1970, in which a block may have the message. */
export type Terms = { readonly nonce: bigint; readonly deadline: bigint };

export type Approval = { readonly erc20: Hex; readonly spender: Hex; readonly amount: bigint };

/** `signature`: 65 bytes, r ‖ s ‖ v, with the lower s and v of 27 or 28. */
export type Signed = Terms & { readonly signature: Uint8Array };

/** The most calls that one message may have. */
export const MOST_CALLS = 20;

const CALL = 'Call(address to,uint256 value,bytes data)';
const TERMS = 'uint128 nonce,uint32 deadline';
const DOMAIN = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

const hashOf = (digits: string): string => toHex(keccak256(hexBytes(digits)));
const hashOfText = (text: string): string => toHex(keccak256(utf8(text)));

/** Hex digits, by the message's name. */
export const typeHashes = {
  Execution: hashOfText(`Execution(${TERMS},address to,uint256 value,bytes data)`),
  BatchExecution: hashOfText(`BatchExecution(${TERMS},Call[] calls)${CALL}`),
  Call: hashOfText(CALL),
  ApproveThenExecute: hashOfText(
    `ApproveThenExecute(${TERMS},address erc20Contract,address spender,uint256 approveAmount,address to,uint256 value,bytes data)`,
  ),
  BurnNonce: hashOfText('BurnNonce(uint128 nonce)'),
} as const;

const DOMAIN_START = [DOMAIN, 'TKGasDelegate', '1.1'].map(hashOfText).join('');

function uint(value: bigint, bits: number, name: string): string {
  if (value < 0n || value >> BigInt(bits) !== 0n) throw new Error(`${name} must be 0 or more and below 2^${bits}`);
  return encodeNumber(value);
}

const nonceWord = (nonce: bigint) => uint(nonce, 128, 'the nonce');
const termsWords = ({ nonce, deadline }: Terms) => nonceWord(nonce) + uint(deadline, 32, 'the deadline');
const callWords = ({ to, value, data }: Call) => encodeAddress(to) + uint(value, 256, 'the value') + hashOf(data.slice(2));

function digest({ chainId, address }: Signer, words: string): Uint8Array {
  const domain = hashOf(DOMAIN_START + encodeNumber(chainId) + encodeAddress(address));
  return keccak256(concat([hexBytes('1901'), hexBytes(domain), hexBytes(hashOf(words))]));
}

function counted(calls: readonly Call[]): void {
  if (calls.length < 1 || calls.length > MOST_CALLS)
    throw new Error(`a message has 1 to ${MOST_CALLS} calls, not ${calls.length}`);
}

/** The digest to sign for these calls: 32 bytes. One call is an Execution, several are a BatchExecution. */
export function executionDigest(signer: Signer, terms: Terms, calls: readonly Call[]): Uint8Array {
  counted(calls);
  if (calls.length === 1) return digest(signer, typeHashes.Execution + termsWords(terms) + callWords(calls[0]!));
  const list = hashOf(calls.map((call) => hashOf(typeHashes.Call + callWords(call))).join(''));
  return digest(signer, typeHashes.BatchExecution + termsWords(terms) + list);
}

export function approveThenExecuteDigest(signer: Signer, terms: Terms, approval: Approval, call: Call): Uint8Array {
  const { erc20, spender, amount } = approval;
  const approved = encodeAddress(erc20) + encodeAddress(spender) + uint(amount, 256, 'the amount');
  return digest(signer, typeHashes.ApproveThenExecute + termsWords(terms) + approved + callWords(call));
}

export function burnNonceDigest(signer: Signer, nonce: bigint): Uint8Array {
  return digest(signer, typeHashes.BurnNonce + nonceWord(nonce));
}

/** Signature ‖ nonce ‖ deadline ‖ the call's data. */
function packed({ signature, ...terms }: Signed, data: Hex = '0x'): Encoded {
  if (signature.length !== 65) throw new Error('a signature of a message has 65 bytes');
  const words = termsWords(terms);
  return encodeBytes(`0x${toHex(signature)}${words.slice(32, 64)}${words.slice(-8)}${data.slice(2)}`);
}

const encodeCalls = (calls: readonly Call[]): Encoded =>
  encodeList(
    calls.map(({ to, value, data }) => ({ dynamic: encodeTuple([encodeAddress(to), encodeNumber(value), encodeBytes(data)]) })),
  );

const calling = (selector: string, values: readonly Encoded[]): Hex => `0x${selector}${encodeTuple(values)}`;

function execution(calls: readonly Call[], signed: Signed): Encoded[] {
  counted(calls);
  const [first] = calls as [Call];
  if (calls.length > 1) return [encodeCalls(calls), packed(signed)];
  return [encodeAddress(first.to), encodeNumber(first.value), packed(signed, first.data)];
}

/** The data of a transaction to the station that carries out the calls that `address` signed. */
export function stationExecution(address: Hex, calls: readonly Call[], signed: Signed): Hex {
  return calling(calls.length === 1 ? '9aefaff8' : '3f67163e', [encodeAddress(address), ...execution(calls, signed)]);
}

/** The same for a transaction to the account itself. */
export function delegateExecution(calls: readonly Call[], signed: Signed): Hex {
  return calling(calls.length === 1 ? 'b61d27f6' : '5885bbcf', execution(calls, signed));
}

/** The data of a transaction to the station that approves a token, then makes the call. */
export function stationApproveThenExecute(address: Hex, approval: Approval, call: Call, signed: Signed): Hex {
  const { erc20, spender, amount } = approval;
  const parties = [address, call.to].map(encodeAddress);
  const approved = [encodeAddress(erc20), encodeAddress(spender), encodeNumber(amount)];
  return calling('df0d3eaf', [...parties, encodeNumber(call.value), ...approved, packed(signed, call.data)]);
}

/** The data of a transaction from the account to itself that spends its next nonce. */
export const BURN_NONCE: Hex = '0x474d6dea';

/** The start of the data of `burnNonce`. */
export const BURNING: Hex = '0x195e307b';

/** The data of a transaction from any account to this one that spends this nonce. `signature`: of `burnNonceDigest`. */
export function burnNonce(signature: Uint8Array, nonce: bigint): Hex {
  return calling(BURNING.slice(2), [encodeBytes(`0x${toHex(signature)}`), nonceWord(nonce)]);
}
