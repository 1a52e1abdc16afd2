import { toHex } from '../../base/bytes.ts';
import { toBase58check } from '../shared/base58check.ts';
import { type Network, networks, segwit } from './address.ts';
import { isPaysToScript, witnessProgram } from './scripts.ts';

/** As policies see it. `address` is empty if the script has none. */
export type ScriptAddress = {
  address: string;
  address_type: 'P2PKH' | 'P2SH' | 'P2WPKH' | 'P2WSH' | 'P2TR' | 'OP_RETURN' | 'UNKNOWN';
};

/** The network of an ADDRESS_FORMAT_BITCOIN_<NETWORK>_…; mainnet if there is none. */
export function networkOf(format: string | undefined): Network {
  return networks.find(({ name }) => format?.startsWith(`ADDRESS_FORMAT_${name}_`)) ?? networks[0]!;
}

function witnessType(version: number, length: number): ScriptAddress['address_type'] {
  if (version === 0) return length === 20 ? 'P2WPKH' : 'P2WSH';
  return version === 1 && length === 32 ? 'P2TR' : 'UNKNOWN';
}

/**
 * The address of an output script on a network. Witness programs without a meaning so far are of type UNKNOWN and have an address
 * (BIP-350). Those of version 0 that are neither 20 nor 32 bytes have none: they cannot be spent (BIP-141).
 */
export function scriptAddress(script: Uint8Array, network: Network): ScriptAddress {
  const text = (from: number, to: number) => toHex(script.subarray(from, to));
  const witness = witnessProgram(script);
  if (witness) {
    const { version, program } = witness;
    if (version === 0 && program.length !== 20 && program.length !== 32) return { address: '', address_type: 'UNKNOWN' };
    return { address: segwit(network.hrp, version, program), address_type: witnessType(version, program.length) };
  }
  if (script.length === 25 && text(0, 3) === '76a914' && text(23, 25) === '88ac') {
    return { address: toBase58check(network.p2pkh, script.subarray(3, 23)), address_type: 'P2PKH' };
  }
  if (isPaysToScript(script)) {
    return { address: toBase58check(network.p2sh, script.subarray(2, 22)), address_type: 'P2SH' };
  }
  return { address: '', address_type: script[0] === 0x6a ? 'OP_RETURN' : 'UNKNOWN' };
}
