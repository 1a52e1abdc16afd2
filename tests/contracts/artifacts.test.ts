import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Abi, keccak256, toBytes, toFunctionSelector } from 'viem';
import { contractFiles } from '../../scripts/generate/contracts.ts';
import { GAS_STATION_ERRORS } from '../../src/chains/ethereum/delegation.ts';
import { addresses, delegateArtifact, ERRORS, stationArtifact } from './support.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('the artefacts that are checked in are what the pinned compiler makes of the sources', () => {
  const { files, table } = contractFiles();
  assert.equal(Object.keys(files).length, 4);
  for (const [path, text] of Object.entries(files)) assert.equal(text, read(path), `${path}: run npm run generate`);
  assert.ok(read('contracts/README.md').includes(table), 'contracts/README.md: run npm run generate');
  const { version } = JSON.parse(read('node_modules/solc/package.json'));
  assert.equal(JSON.parse(read('package.json')).devDependencies.solc, version);
  assert.ok(delegateArtifact.compiler.startsWith(`${version}+commit.`));
});

test('the bytecode depends on the code alone, and fits into a contract', () => {
  for (const { deployedBytecode, bytecode } of [delegateArtifact, stationArtifact]) {
    // What the compiler appends unless it is told not to: CBOR with the key "ipfs" or "solc".
    assert.ok(!/64(?:69706673|736f6c63)/.test(bytecode));
    assert.ok(deployedBytecode.length / 2 < 24_576);
  }
  assert.equal(keccak256(delegateArtifact.bytecode), addresses.delegate.initCodeHash);
});

const selectors = (abi: Abi, type: 'function' | 'error') =>
  Object.fromEntries(
    abi.flatMap((entry) => {
      if (entry.type !== type) return [];
      const inputs = 'inputs' in entry ? entry.inputs : [];
      const text = (each: (typeof inputs)[number]): string =>
        'components' in each ? `(${each.components.map(text).join(',')})${each.type.slice('tuple'.length)}` : each.type;
      const signature = `${(entry as { name: string }).name}(${inputs.map(text).join(',')})`;
      return [[signature, toFunctionSelector(signature)]];
    }),
  );

test('functions and errors have the documented selectors', () => {
  assert.deepEqual(selectors(stationArtifact.abi, 'function'), {
    'TK_GAS_DELEGATE()': '0xcf26488a',
    'approveThenExecute(address,address,uint256,address,address,uint256,bytes)': '0xdf0d3eaf',
    'execute(address,address,uint256,bytes)': '0x9aefaff8',
    'executeBatch(address,(address,uint256,bytes)[],bytes)': '0x3f67163e',
    'executeReturns(address,address,uint256,bytes)': '0xb4eb7c25',
    'getNonce(address)': '0x2d0335ab',
    'isDelegated(address)': '0x3e28391d',
  });
  const functions = selectors(delegateArtifact.abi, 'function');
  for (const [signature, selector] of Object.entries({
    'execute(address,uint256,bytes)': '0xb61d27f6',
    'executeBatch((address,uint256,bytes)[],bytes)': '0x5885bbcf',
    'nonce()': '0xaffed0e0',
    'isValidSignature(bytes32,bytes)': '0x1626ba7e',
    'onERC721Received(address,address,uint256,bytes)': '0x150b7a02',
    'onERC1155Received(address,address,uint256,uint256,bytes)': '0xf23a6e61',
    'onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)': '0xbc197c81',
    'supportsInterface(bytes4)': '0x01ffc9a7',
    'eip712Domain()': '0x84b0196e',
  })) {
    assert.equal(functions[signature], selector, signature);
  }
  const errors = { ...selectors(delegateArtifact.abi, 'error'), ...selectors(stationArtifact.abi, 'error') };
  assert.deepEqual(
    errors,
    Object.fromEntries(
      Object.entries(ERRORS)
        .map(([name, selector]) => [`${name}()`, selector])
        .sort(),
    ),
  );
  for (const [selector, name] of GAS_STATION_ERRORS) assert.equal(toFunctionSelector(`${name}()`), selector);
  for (const [name, selector] of Object.entries(ERRORS)) assert.equal(GAS_STATION_ERRORS.get(selector), name);
});

test('only execute functions, burnNonce and the plain transfer change anything, and none but the transfer is payable', () => {
  const changing = (abi: Abi) =>
    abi.flatMap((entry) =>
      'stateMutability' in entry && ['payable', 'nonpayable'].includes(entry.stateMutability) && entry.type !== 'constructor'
        ? [`${'name' in entry ? entry.name : entry.type} ${entry.stateMutability}`]
        : [],
    );
  assert.deepEqual(changing(delegateArtifact.abi).sort(), [
    'approveThenExecute nonpayable',
    'burnNonce nonpayable',
    'burnNonce nonpayable',
    'execute nonpayable',
    'executeBatch nonpayable',
    'executeReturns nonpayable',
    'receive payable',
  ]);
  assert.deepEqual(changing(stationArtifact.abi).sort(), [
    'approveThenExecute nonpayable',
    'execute nonpayable',
    'executeBatch nonpayable',
    'executeReturns nonpayable',
  ]);
});

test('the delegate’s code has the documented type hashes and the slot of the nonce', () => {
  const words = {
    Execution: '06bb52ccb5d61c4f9c5baafc0affaba32c4d02864c91221ad411291324aeea2e',
    BatchExecution: '14007e8c5dd696e52899952d0c28098ab95c056d082adc0d757f91c1306c7f55',
    Call: '9085b19ea56248c94d86174b3784cfaaa8673d1041d6441f61ff52752dac8483',
    ApproveThenExecute: '321d2e8c030c2c64001a1895d0f865dd0dc361666bd775ccb835b1a8bc2d41e3',
    BurnNonce: '1abb8920e48045adda3ed0ce4be4357be95d4aa21af287280f532fc031584bda',
    slot: '34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100',
    name: keccak256(toBytes('TKGasDelegate')).slice(2),
    version: keccak256(toBytes('1.1')).slice(2),
  };
  for (const [what, word] of Object.entries(words)) {
    assert.ok(delegateArtifact.deployedBytecode.includes(word) || inPlace(word), what);
  }
});

/** The compiler may write a word that ends in zero bytes as a shorter one, shifted. */
function inPlace(word: string): boolean {
  const short = word.replace(/(?:00)+$/, '');
  return short !== word && delegateArtifact.deployedBytecode.includes(short);
}
