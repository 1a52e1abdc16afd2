import solc from 'solc';

/** `bytecode`: what creates the contract, without constructor arguments. Both are lower-case hex with 0x. */
export type Compiled = { abi: readonly object[]; bytecode: `0x${string}`; deployedBytecode: `0x${string}` };

type Message = { severity: string; formattedMessage: string };
type Output = {
  errors?: Message[];
  contracts?: Record<string, Record<string, { abi: object[]; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>>;
};

export const COMPILER: string = solc.version();

/** Without the hash of its metadata, the bytecode depends on the code alone: no comment and no path changes an address. */
export const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  viaIR: false,
} as const;

/** Contracts by file and name. `sources`: text by path, with everything that they import. Throws what the compiler says, warnings too. */
export function compileSolidity(sources: Readonly<Record<string, string>>): Record<string, Record<string, Compiled>> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: { ...SETTINGS, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } } },
  };
  const { errors = [], contracts = {} }: Output = JSON.parse(solc.compile(JSON.stringify(input)));
  const said = errors.filter(({ severity }) => severity !== 'info');
  if (said.length > 0) throw new Error(said.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const made: Record<string, Record<string, Compiled>> = {};
  for (const [path, byName] of Object.entries(contracts)) {
    made[path] = {};
    for (const [name, { abi, evm }] of Object.entries(byName)) {
      made[path][name] = { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` };
    }
  }
  return made;
}
