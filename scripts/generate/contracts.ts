import { readdirSync, readFileSync } from 'node:fs';
import { hexBytes, toHex, utf8 } from '../../src/base/bytes.ts';
import { CREATE2_FACTORY, create2Address, NO_SALT, stationInitCode } from '../../src/chains/ethereum/gas-station-deployment.ts';
import { keccak256, sha256 } from '../../src/crypto/hash.ts';
import { COMPILER, type Compiled, compileSolidity, SETTINGS } from './solidity.ts';

const FOLDER = new URL('../../contracts/src/', import.meta.url);
const FIXTURES = new URL('../../tests/contracts/fixtures/', import.meta.url);
const DEPLOYED = ['GasDelegate', 'GasStation'] as const;

/** The sources of the contracts by their path from the root. */
export function contractSources(): Record<string, string> {
  const names = readdirSync(FOLDER).sort();
  return Object.fromEntries(names.map((name) => [`contracts/src/${name}`, readFileSync(new URL(name, FOLDER), 'utf8')]));
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const keccak = (code: string) => `0x${toHex(keccak256(hexBytes(code.slice(2))))}`;

function addresses(delegate: Compiled, station: Compiled) {
  const delegateAddress = create2Address(CREATE2_FACTORY, NO_SALT, delegate.bytecode);
  const initCode = stationInitCode(station.bytecode, delegateAddress);
  return {
    factory: CREATE2_FACTORY,
    salt: NO_SALT,
    delegate: { address: delegateAddress, initCodeHash: keccak(delegate.bytecode) },
    station: { address: create2Address(CREATE2_FACTORY, NO_SALT, initCode), initCodeHash: keccak(initCode) },
  };
}

/** The contracts of tests, compiled. The compiler takes three seconds of processor time, so tests read this. */
function fixtures(): string {
  const sources = readdirSync(FIXTURES).sort();
  const compiled = compileSolidity(
    Object.fromEntries(sources.map((name) => [name, readFileSync(new URL(name, FIXTURES), 'utf8')])),
  );
  return json(Object.assign({}, ...Object.values(compiled)));
}

/** The checked-in files of the contracts, by path, and the table of their addresses. */
export function contractFiles(): { files: Record<string, string>; table: string } {
  const sources = contractSources();
  const compiled = compileSolidity(sources);
  const of = (name: string) => compiled[`contracts/src/${name}.sol`]![name]!;
  const sourceHashes = Object.fromEntries(
    Object.entries(sources).map(([path, text]) => [path, `sha256:${toHex(sha256(utf8(text)))}`]),
  );
  const files: Record<string, string> = {};
  for (const contractName of DEPLOYED) {
    const { abi, bytecode, deployedBytecode } = of(contractName);
    const artifact = { contractName, compiler: COMPILER, settings: SETTINGS, sources: sourceHashes };
    files[`contracts/artifacts/${contractName}.json`] = json({ ...artifact, abi, bytecode, deployedBytecode });
  }
  const at = addresses(of('GasDelegate'), of('GasStation'));
  files['contracts/artifacts/addresses.json'] = json(at);
  files['tests/contracts/fixtures.json'] = fixtures();
  const row = (name: string, { address, initCodeHash }: typeof at.delegate) =>
    `| ${name} | \`${address}\` | \`${initCodeHash}\` |`;
  const table = [
    '| Contract | Address | keccak256 of its creation code |\n|---|---|---|',
    row('GasDelegate', at.delegate),
    row('GasStation', at.station),
  ].join('\n');
  return { files, table };
}
