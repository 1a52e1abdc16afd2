import { concat, hexBytes, toHex } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { encodeAddress, encodeBytes, encodeTuple } from './abi-encode.ts';
import { toChecksumAddress } from './address.ts';

type Hex = `0x${string}`;

/** The Immutable CREATE2 factory. It has the same address on every chain that has it. */
export const CREATE2_FACTORY: Hex = '0x0000000000FFe8B47B3e2130213B802212439497';

/** Twenty zero bytes in front: any sender of the transaction deploys to the same address. */
export const NO_SALT: Hex = `0x${'00'.repeat(32)}`;

const SAFE_CREATE2 = '64e03087';

const bytes = (hex: string) => hexBytes(hex.slice(2));

/** The address at which `deployer` puts the contract that this creation code makes (EIP-1014), checksummed. `salt`: 32 bytes. */
export function create2Address(deployer: Hex, salt: Hex, initCode: Hex): Hex {
  const hash = keccak256(concat([Uint8Array.of(0xff), bytes(deployer), bytes(salt), keccak256(bytes(initCode))]));
  return toChecksumAddress(`0x${toHex(hash.subarray(12))}`) as Hex;
}

/** The creation code of a station for this delegate. `bytecode`: of the artifact. */
export function stationInitCode(bytecode: Hex, delegate: Hex): Hex {
  return `${bytecode}${encodeAddress(delegate)}`;
}

/** The data of the transaction to CREATE2_FACTORY that deploys it: `safeCreate2(bytes32 salt, bytes initCode)`. */
export function safeCreate2Data(salt: Hex, initCode: Hex): Hex {
  return `0x${SAFE_CREATE2}${encodeTuple([salt.slice(2), encodeBytes(initCode)])}`;
}
