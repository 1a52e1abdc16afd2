import { keccak_256 } from '@noble/hashes/sha3.js';

/** What hash-wasm gives. One is enough, since each hash is made at once. */
type Hasher = { init(): Hasher; update(data: Uint8Array): Hasher; digest(as: 'binary'): Uint8Array };
type Package = { createKeccak(bits: 256): Promise<Hasher> };

const nodeModule = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule('node:module');

let run: (data: Uint8Array) => Uint8Array = keccak_256;

async function compile(): Promise<boolean> {
  if (nodeModule === undefined) return false;
  try {
    const load = nodeModule.createRequire(import.meta.url);
    // One algorithm of the package: its entry has them all, and would take long to load.
    const { createKeccak } = load('hash-wasm/dist/keccak.umd.min.js') as Package;
    const hasher = await createKeccak(256);
    run = (data) => hasher.init().update(data).digest('binary');
    return true;
  } catch {
    // Node.js may have been told not to compile.
    return false;
  }
}

/** Whether WebAssembly makes the hashes from then on: eight times faster than JavaScript. In a browser it never does. */
export const compiled: Promise<boolean> = compile();

/** Keccak-256 as Ethereum uses it (the padding of the Keccak submission, not of FIPS 202): 32 bytes. */
export function keccak256(data: Uint8Array): Uint8Array {
  return run(data);
}
