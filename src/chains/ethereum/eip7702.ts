import { hashAuthorization } from 'viem/utils';
import { isObject, payloadJson, unsigned } from './json.ts';

type Refuse = (why: string) => Error;

/** keccak256(0x05 ‖ rlp([chainId, address, nonce])) of a JSON text `{ chainId, address, nonce }` (EIP-7702). */
export function eip7702Digest(text: string, refuse: Refuse): Buffer {
  const data = payloadJson(text, refuse);
  if (!isObject(data)) throw refuse('must be a JSON object { chainId, address, nonce }');
  const { address } = data;
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) throw refuse('address must be 0x and 40 hex digits');
  const chainId = unsigned(data.chainId, 53);
  const nonce = unsigned(data.nonce, 53);
  if (chainId === undefined || nonce === undefined) throw refuse('chainId and nonce must be whole numbers');
  const digest = hashAuthorization({ chainId: Number(chainId), address: address.toLowerCase() as `0x${string}`, nonce: Number(nonce) });
  return Buffer.from(digest.slice(2), 'hex');
}
