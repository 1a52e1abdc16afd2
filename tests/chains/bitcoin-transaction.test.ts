import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32m } from '@scure/base';
import { sameBytes, toHex } from '../../src/base/bytes.ts';
import { bitcoinTransaction as viewType } from '../../src/chains/bitcoin/policy-types.ts';
import { readPsbt } from '../../src/chains/bitcoin/psbt.ts';
import { readTransaction } from '../../src/chains/bitcoin/raw-transaction.ts';
import { keyHashScript } from '../../src/chains/bitcoin/scripts.ts';
import { sighasher } from '../../src/chains/bitcoin/sighash.ts';
import { bitcoinTransaction } from '../../src/chains/bitcoin/transaction.ts';
import type { UnsignedTransaction } from '../../src/chains/shared/transaction.ts';
import { asBuffer } from '../../src/crypto/buffers.ts';
import { assertTexts } from '../support/policy-texts.ts';
import fc from '../support/properties.ts';
import {
  bitcoin,
  build,
  bytesOf,
  cosigner,
  digestsOf,
  ecc,
  ecdsaSigner,
  edit,
  type InputSpec,
  type Key,
  key,
  mine,
  other,
  type SpendableName,
  schnorrSigner,
  signaturesOf,
  signer,
  spendables,
  type TransactionSpec,
  third,
  type Utxo,
  unsignedOf,
  utxoOf,
} from './bitcoin-psbts.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const ALL = bitcoin.Transaction.SIGHASH_ALL;
const kindOf = (name: SpendableName) => spendables[name](mine).kind;
const names = Object.keys(spendables) as SpendableName[];

const outputScripts: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.constantFrom(...names).map((name) => spendables[name](third).output),
  fc.uint8Array({ maxLength: 40 }).map((data) => Buffer.concat([hex('6a'), data])),
  fc.uint8Array({ minLength: 2, maxLength: 40 }).map((program) => Buffer.concat([hex('52'), Buffer.of(program.length), program])),
  fc.uint8Array({ maxLength: 60 }),
);

/** Inputs of several owners, whose values pay for the outputs. */
function transactions(some: fc.Arbitrary<{ name: SpendableName; of: Key }>): fc.Arbitrary<TransactionSpec> {
  const input = fc.record({
    source: some,
    utxo: fc.constantFrom<Utxo>('claim', 'previous', 'both'),
    fee: fc.bigInt(0n, 5000n),
    sequence: fc.nat(0xffff_ffff),
  });
  return fc
    .record({
      inputs: fc.array(input, { minLength: 1, maxLength: 6 }),
      outputs: fc.array(fc.record({ script: outputScripts, value: fc.bigInt(0n, 2n ** 46n) }), { minLength: 1, maxLength: 5 }),
      version: fc.constantFrom(1, 2, 3, 0xffff_ffff),
      locktime: fc.constantFrom(0, 499_999_999, 500_000_000, 0xffff_ffff),
    })
    .map(({ inputs, outputs, version, locktime }) => {
      const paid = outputs.reduce((sum, { value }) => sum + value, 0n);
      return {
        outputs,
        version,
        locktime,
        inputs: inputs.map(
          ({ source, utxo, fee, sequence }, i): InputSpec => ({ ...source, utxo, sequence, value: fee + (i === 0 ? paid : 0n) }),
        ),
      };
    });
}

/** The address as bitcoinjs-lib writes it. It warns of later versions, and accepts only points as programs of version 1. */
function addressOf(script: Uint8Array, network: bitcoin.Network): string {
  const [version, length] = script;
  if (version === 0x51 && length! >= 2 && length! <= 40 && script.length === length! + 2) {
    return bech32m.encode(network.bech32, [1, ...bech32m.toWords(script.subarray(2))]);
  }
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return bitcoin.address.fromOutputScript(script, network);
  } catch {
    return '';
  } finally {
    console.warn = warn;
  }
}

/** Of each input: its previous transaction is there, or every signature covers all amounts. */
function provenOf(spec: TransactionSpec, own: (input: InputSpec) => boolean): boolean[] {
  const ours = spec.inputs.filter(own);
  return spec.inputs.map((input) => utxoOf(input) !== 'claim' || ours.every(({ name }) => name === 'p2tr'));
}

/** What policies should see of a signed transaction. */
function expectedView(signed: bitcoin.Transaction, proven: boolean[], fee: bigint, network: bitcoin.Network) {
  return {
    version: String(signed.version),
    inputs: signed.ins.map(({ hash, index, sequence }, i) => ({
      tx_id: Buffer.from(hash).reverse().toString('hex'),
      vout: BigInt(index),
      sequence: BigInt(sequence),
      amount_proven: proven[i],
    })),
    outputs: signed.outs.map(({ script, value }) => ({
      value,
      script_pubkey: Buffer.from(script).toString('hex'),
      address: addressOf(script, network),
    })),
    locktime: { amount: BigInt(signed.locktime), type: signed.locktime < 500_000_000 ? 'Blocks' : 'Seconds' },
    fee,
  };
}

/** The view, whose fields the test names. */
type View = { outputs: { address: string; address_type: string }[]; fee: bigint };
const viewOf = (parsed: UnsignedTransaction) => {
  const view = parsed.view(new Map());
  assertTexts('bitcoin.tx', view);
  return view as unknown as View;
};

/** bitcoinjs-lib's digest of each input that is the key's. */
function expectedDigests(spec: TransactionSpec, bytes: Buffer, own: (input: InputSpec) => boolean): Buffer[] {
  const unsigned = unsignedOf(bytes);
  const spent = spec.inputs.map(({ name, of, value }) => ({ ...spendables[name](of), value }));
  return spec.inputs.flatMap((input, i) => {
    if (!own(input)) return [];
    const { kind, output, script, value } = spent[i]!;
    const digest = {
      P2PKH: () => unsigned.hashForSignature(i, output, ALL),
      P2SH: () => unsigned.hashForSignature(i, script!, ALL),
      P2WPKH: () => unsigned.hashForWitnessV0(i, keyHashScript(input.of.publicKey), value, ALL),
      P2WSH: () => unsigned.hashForWitnessV0(i, script!, value, ALL),
      P2TR: () =>
        unsigned.hashForWitnessV1(
          i,
          spent.map((each) => each.output),
          spent.map((each) => each.value),
          bitcoin.Transaction.SIGHASH_DEFAULT,
        ),
    }[kind]!();
    return [Buffer.from(digest)];
  });
}

const validEcdsa = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array) => ecc.verify(digest, publicKey, signature);
const validSchnorr = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array) =>
  ecc.verifySchnorr(digest, publicKey, signature);

/** Signs the inputs of the others, and returns the transaction as it goes to the network. */
function complete(psbt: bitcoin.Psbt, spec: TransactionSpec, own: (input: InputSpec) => boolean): bitcoin.Transaction {
  for (const [i, input] of spec.inputs.entries()) {
    const { kind, multisig } = spendables[input.name](input.of);
    if (!own(input)) psbt.signInput(i, kind === 'P2TR' ? schnorrSigner(input.of) : ecdsaSigner(input.of));
    if (multisig) psbt.signInput(i, ecdsaSigner(cosigner));
    psbt.finalizeInput(i);
  }
  return psbt.extractTransaction(true);
}

/** Signs as the service does, and compares every result with bitcoinjs-lib. */
function checkAgainstOracle(spec: TransactionSpec, kind: string | undefined, network = 'MAINNET'): void {
  const own = ({ name, of }: InputSpec) => of === mine && (kind ? kindOf(name) === kind : kindOf(name) !== 'P2TR');
  const bytes = bytesOf(build(spec));
  const parsed = bitcoinTransaction.parse(bytes, signer(mine, kind, network));
  assert.deepEqual(digestsOf(parsed), expectedDigests(spec, bytes, own));
  const signed = parsed.attach(signaturesOf(parsed, mine, kind === 'P2TR'));
  assert.deepEqual(parsed.attach(signaturesOf(parsed, mine, kind === 'P2TR')), signed, 'attaching changes nothing');

  const psbt = bitcoin.Psbt.fromBuffer(signed, { maximumFeeRate: Number.MAX_SAFE_INTEGER });
  for (const [i, input] of spec.inputs.entries()) {
    const { partialSig, tapKeySig, finalScriptSig, finalScriptWitness } = psbt.data.inputs[i]!;
    assert.equal(finalScriptSig ?? finalScriptWitness, undefined);
    assert.equal(partialSig !== undefined || tapKeySig !== undefined, own(input));
    if (own(input)) assert.ok(psbt.validateSignaturesOfInput(i, kind === 'P2TR' ? validSchnorr : validEcdsa));
  }
  const transaction = complete(psbt, spec, own);
  const params =
    network === 'MAINNET' ? bitcoin.networks.bitcoin : bitcoin.networks[network === 'REGTEST' ? 'regtest' : 'testnet'];
  const view = viewOf(parsed);
  assert.deepEqual(Object.keys(view), Object.keys(viewType.fields));
  const outputs = view.outputs.map(({ address_type: _, ...rest }) => rest);
  assert.deepEqual({ ...view, outputs }, expectedView(transaction, provenOf(spec, own), psbt.getFee(), params));
}

for (const name of names) {
  test(`${name}: bitcoinjs-lib takes the signatures and reads the same transaction`, () => {
    const kind = kindOf(name);
    const mixed = fc.oneof(
      fc.constant({ name, of: mine }),
      fc.record({ name: fc.constantFrom(...names), of: fc.constantFrom(mine, other) }),
    );
    const network = fc.constantFrom('MAINNET', 'TESTNET', 'SIGNET', 'REGTEST');
    fc.assert(
      fc.property(transactions(mixed), network, (spec, net) => {
        const first = { ...spec.inputs[0]!, name, of: mine };
        checkAgainstOracle({ ...spec, inputs: [first, ...spec.inputs.slice(1)] }, kind, net);
      }),
      { numRuns: 12 },
    );
  });
}

test('a key that is named by its id signs all its inputs but P2TR', () => {
  const anyone = fc.record({ name: fc.constantFrom(...names), of: fc.constantFrom(mine, other) });
  fc.assert(
    fc.property(transactions(anyone), fc.constantFrom(...names.filter((name) => name !== 'p2tr')), (spec, name) => {
      const last = { ...spec.inputs.at(-1)!, name, of: mine };
      checkAgainstOracle({ ...spec, inputs: [...spec.inputs.slice(0, -1), last] }, undefined);
    }),
    { numRuns: 25 },
  );
});

test('the type of each output', () => {
  const ofOutput = (script: Uint8Array) => {
    const bytes = bytesOf(build({ inputs: [{ name: 'p2wpkh', of: mine, value: 9n }], outputs: [{ script, value: 1n }] }));
    return viewOf(bitcoinTransaction.parse(bytes, signer(mine, 'P2WPKH'))).outputs[0]!;
  };
  for (const name of names) assert.equal(ofOutput(spendables[name](other).output).address_type, kindOf(name), name);
  assert.deepEqual(ofOutput(hex('6a0401020304')), {
    value: 1n,
    script_pubkey: '6a0401020304',
    address: '',
    address_type: 'OP_RETURN',
  });
  const p2pk = bitcoin.payments.p2pk({ pubkey: other.publicKey }).output!;
  for (const script of [p2pk, hex(''), hex('00'), hex('0002abcd'), hex('5101ab'), hex(`76a914${'00'.repeat(20)}88ad`)]) {
    assert.partialDeepStrictEqual(ofOutput(script), { address: '', address_type: 'UNKNOWN' });
  }
  // BIP-433, pay to anchor.
  assert.partialDeepStrictEqual(ofOutput(hex('51024e73')), { address: 'bc1pfeessrawgf', address_type: 'UNKNOWN' });
  // BIP-350, test vectors of valid segwit addresses.
  assert.partialDeepStrictEqual(ofOutput(hex('6002751e')), { address: 'bc1sw50qgdz25j', address_type: 'UNKNOWN' });
  assert.partialDeepStrictEqual(ofOutput(hex('5210751e76e8199196d454941c45d1b3a323')), {
    address: 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
    address_type: 'UNKNOWN',
  });
});

test('all pairs come back as they came, and an older signature of ours is replaced', () => {
  const spec: TransactionSpec = {
    inputs: [
      { name: 'p2wshMultisig', of: mine, value: 50_000n },
      { name: 'p2wpkh', of: other, value: 50_000n },
    ],
    outputs: [{ script: spendables.p2pkh(third).output, value: 1n }],
  };
  const ours = `02${mine.publicKey.toString('hex')}`;
  const psbt = build(spec);
  psbt.signInput(0, ecdsaSigner(cosigner));
  psbt.data.globalMap.unknownKeyVals = [{ key: hex('fc0501020304'), value: hex('aa') }];
  psbt.data.outputs[0]!.unknownKeyVals = [{ key: hex('fcffff'), value: Buffer.alloc(300, 1) }];
  const bytes = edit(bytesOf(psbt), 0, {
    [ours]: hex('3006020101020101'),
    f0: hex(''),
    fd0001ab: hex('01'),
    [`06${mine.publicKey.toString('hex')}`]: hex('00112233'),
  });
  const parsed = bitcoinTransaction.parse(bytes, signer(mine));
  const before = readPsbt(bytes);
  const after = readPsbt(asBuffer(parsed.attach(signaturesOf(parsed, mine, false))));
  assert.deepEqual(after.global, before.global);
  assert.deepEqual(after.outputs, before.outputs);
  assert.deepEqual(after.inputs[1], before.inputs[1]);
  assert.deepEqual([...after.inputs[0]!.keys()], [...before.inputs[0]!.keys()]);
  for (const [pair, value] of before.inputs[0]!) assert.equal(sameBytes(after.inputs[0]!.get(pair)!, value), pair !== ours);
  const again = bitcoin.Psbt.fromBuffer(parsed.attach(signaturesOf(parsed, mine, false)));
  assert.ok(again.validateSignaturesOfInput(0, validEcdsa));
  again.finalizeInput(0);
});

test('a finalized input of somebody else is left as it is, and counts for the fee', () => {
  const psbt = build({
    inputs: [
      { name: 'p2pkh', of: other, value: 700n },
      { name: 'p2tr', of: mine, value: 300n },
    ],
    outputs: [{ script: spendables.p2tr(third).output, value: 900n }],
  });
  psbt.signInput(0, ecdsaSigner(other)).finalizeInput(0);
  const parsed = bitcoinTransaction.parse(bytesOf(psbt), signer(mine, 'P2TR'));
  assert.equal(viewOf(parsed).fee, 100n);
  const signed = bitcoin.Psbt.fromBuffer(parsed.attach(signaturesOf(parsed, mine, true)), { maximumFeeRate: 1e9 });
  signed.finalizeInput(1).extractTransaction();
});

test('scripts of any form that push the key or its hash are ours', () => {
  const { publicKey } = mine;
  const hash = Buffer.from(bitcoin.crypto.hash160(publicKey)).toString('hex');
  const scripts = {
    'a hash time lock': bitcoin.script.fromASM(
      `OP_IF OP_SHA256 ${'05'.repeat(32)} OP_EQUALVERIFY ${other.publicKey.toString('hex')} OP_ELSE OP_DUP OP_HASH160 ${hash} ` +
        'OP_EQUALVERIFY OP_ENDIF OP_CHECKSIG',
    ),
    'a push that is longer than needed': Buffer.concat([hex('4d2100'), publicKey, hex('ac')]),
  };
  for (const [what, script] of Object.entries(scripts)) {
    const output = bitcoin.payments.p2wsh({ redeem: { output: script } }).output!;
    const bytes = edit(
      bytesOf(build({ inputs: [{ name: 'p2wpkh', of: mine, value: 8n }], outputs: [{ script: output, value: 1n }] })),
      0,
      {
        '01': Buffer.concat([hex('0800000000000000'), Buffer.of(output.length), output]),
        '05': script,
      },
    );
    const parsed = bitcoinTransaction.parse(bytes, signer(mine, 'P2WSH'));
    assert.deepEqual(digestsOf(parsed), [Buffer.from(unsignedOf(bytes).hashForWitnessV0(0, script, 8n, ALL))], what);
  }
});

test('BIP-143, "Native P2WPKH": the digest of the second input', () => {
  const unsigned = readTransaction(
    hex(
      '0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d279655c3aa89e' +
        '815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac' +
        '9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000',
    ),
    'it',
    { inputs: 2, outputs: 2 },
  );
  const spent = [
    { value: 625_000_000n, script: hex('2103c9f4836b9a4f77fc0d81f7bcb01b7f1b35916864b9476c241ce9fc198bd25432ac') },
    { value: 600_000_000n, script: hex('00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1') },
  ];
  const script = keyHashScript(hex('025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee6357'));
  assert.equal(
    toHex(sighasher(unsigned, spent)(1, { by: 'segwit', script })),
    'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670',
  );
});

test('BIP-341, wallet-test-vectors.json, keyPathSpending: input 4, the one with SIGHASH_DEFAULT', () => {
  const unsigned = readTransaction(
    hex(
      '02000000097de20cbff686da83a54981d2b9bab3586f4ca7e48f57f5b55963115f3b334e9c010000000000000000d7b7cab57b1393ace2d064f4d4a2cb8a' +
        'f6def61273e127517d44759b6dafdd990000000000fffffffff8e1f583384333689228c5d28eac13366be082dc57441760d957275419a418420000000000' +
        'fffffffff0689180aa63b30cb162a73c6d2a38b7eeda2a83ece74310fda0843ad604853b0100000000feffffffaa5202bdf6d8ccd2ee0f0202afbbb7461d' +
        '9264a25e5bfd3c5a52ee1239e0ba6c0000000000feffffff956149bdc66faa968eb2be2d2faa29718acbfe3941215893a2a3446d32acd050000000000000' +
        '000000e664b9773b88c09c32cb70a2a3e4da0ced63b7ba3b22f848531bbb1d5d5f4c94010000000000000000e9aa6b8e6c9de67619e6a3924ae25696bb7b' +
        '694bb677a632a74ef7eadfd4eabf0000000000ffffffffa778eb6a263dc090464cd125c466b5a99667720b1c110468831d058aa1b82af10100000000ffff' +
        'ffff0200ca9a3b000000001976a91406afd46bcdfd22ef94ac122aa11f241244a37ecc88ac807840cb0000000020ac9a87f5594be208f8532db38cff670c' +
        '450ed2fea8fcdefcc9a663f78bab962b0065cd1d',
    ),
    'it',
    { inputs: 9, outputs: 2 },
  );
  const spent = [
    { script: '512053a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343', value: 420_000_000n },
    { script: '5120147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3', value: 462_000_000n },
    { script: '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac', value: 294_000_000n },
    { script: '5120e4d810fd50586274face62b8a807eb9719cef49c04177cc6b76a9a4251d5450e', value: 504_000_000n },
    { script: '512091b64d5324723a985170e4dc5a0f84c041804f2cd12660fa5dec09fc21783605', value: 630_000_000n },
    { script: '00147dd65592d0ab2fe0d0257d571abf032cd9db93dc', value: 378_000_000n },
    { script: '512075169f4001aa68f15bbed28b218df1d0a62cbbcf1188c6665110c293c907b831', value: 672_000_000n },
    { script: '5120712447206d7a5238acc7ff53fbe94a3b64539ad291c7cdbc490b7577e4b17df5', value: 546_000_000n },
    { script: '512077e30a5522dd9f894c3f8b8bd4c4b2cf82ca7da8a3ea6a239655c39c050ab220', value: 588_000_000n },
  ].map(({ script, value }) => ({ script: hex(script), value }));
  assert.equal(
    toHex(sighasher(unsigned, spent)(4, { by: 'taproot' })),
    '4f900a0bae3f1446fd48490c2958b5a023228f01661cda3496a11da502a7f7ef',
  );
});

test('the keys of both parities', () => {
  const keys = ['a', 'b', 'c', 'd'].map(key);
  assert.equal(new Set(keys.map(({ publicKey }) => publicKey[0])).size, 2);
  for (const of of keys) {
    const spec = { inputs: [{ name: 'p2tr' as const, of, value: 5n }], outputs: [{ script: hex('6a'), value: 0n }] };
    const parsed = bitcoinTransaction.parse(bytesOf(build(spec)), signer(of, 'P2TR'));
    const psbt = bitcoin.Psbt.fromBuffer(parsed.attach(signaturesOf(parsed, of, true)));
    assert.ok(psbt.validateSignaturesOfInput(0, validSchnorr));
  }
});
