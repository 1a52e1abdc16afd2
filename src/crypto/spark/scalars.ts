import { secp256k1 as curve } from '@noble/curves/secp256k1.js';
import type { Random } from '../../base/random.ts';
import { toBigInt, uint256 } from '../buffers.ts';
import { generatePrivateKey } from '../curves.ts';
import { bytesOfKey, type KeyBytes } from '../plain-key.ts';
import { SECP256K1_N } from '../secp256k1.ts';

/** Arithmetic modulo the order of secp256k1. */
export const Fn = curve.Point.Fn;

/** Any number of bytes, big-endian, modulo n. Uniform if they are uniform and at least 48. */
export const scalarOf = (bytes: KeyBytes): bigint => toBigInt(bytesOfKey(bytes)) % SECP256K1_N;

/** A fresh scalar, 1 … n − 1. */
export const freshScalar = (random: Random): bigint => scalarOf(generatePrivateKey('CURVE_SECP256K1', random));

export { uint256 as scalarBytes };
