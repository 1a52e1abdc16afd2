import { keccak_256 } from '@noble/hashes/sha3.js';
import { sameBytes } from '../base/bytes.ts';

/** One hasher is enough: each hash begins and ends in one turn. */
type Hasher = { init(): Hasher; update(data: Uint8Array): Hasher; digest(as: 'binary'): Uint8Array };
type Package = { createKeccak(bits: 256): Promise<Hasher> };

const nodeModule = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule('node:module');

/** A text of several blocks. */
const SAMPLE = new Uint8Array(300).fill(7);

let run: (data: Uint8Array) => Uint8Array = keccak_256;

async function compile(): Promise<boolean> {
  if (nodeModule === undefined) return false;
  try {
    const load = nodeModule.createRequire(import.meta.url);
    // One algorithm of the package: its entry point has them all, and would take long to load.
    const { createKeccak } = load('hash-wasm/dist/keccak.umd.min.js') as Package;
    const hasher = await createKeccak(256);
    const byWebAssembly = (data: Uint8Array) => hasher.init().update(data).digest('binary');
    if (!sameBytes(byWebAssembly(SAMPLE), keccak_256(SAMPLE))) throw new Error('the WebAssembly build returned a wrong hash');
    run = byWebAssembly;
    return true;
  } catch (error) {
    // For example with --jitless.
    process.emitWarning(`Keccak-256 is computed in JavaScript, which is slower: ${String(error)}`);
    return false;
  }
}

/** Whether WebAssembly makes the hashes from then on: six to ten times as fast as JavaScript. In a browser it never does. */
export const compiled: Promise<boolean> = compile();

/** Keccak-256 as Ethereum uses it (the padding of the Keccak submission, not of FIPS 202): 32 bytes. */
export function keccak256(data: Uint8Array): Uint8Array {
  return run(data);
}
