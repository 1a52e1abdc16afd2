/** Packages as the published wallet of Spark reads them. Only `npm test -- --full` runs it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { leaf } from '../activities/spark/samples.ts';
import { bytes, Fn, keyOf, leafPath, operators, type SparkWallet, sparkWallet, text } from '../activities/spark/support.ts';
import { missing, type PublishedSdk, publishedMessages, publishedSdk } from '../crypto/spark/published-signer.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const skip = missing ?? false;
const instance = await sharedInstance();
const TRANSFER = '019a0f3e-1111-7abc-8def-0123456789ab';
const LEAF = '019a0f3e-0000-7000-8000-00000000000a';
const NEW = '019a0f3e-0000-7000-8000-00000000000b';

type Package = { operatorId: string; encryptedPackage: string };
type Share = { secretShare: Uint8Array; proofs: Uint8Array[] };
type Tweak = {
  leafId: string;
  secretShareTweak: Share;
  pubkeySharesTweak: Record<string, Uint8Array>;
  secretCipher: Uint8Array;
  signature: Uint8Array;
  refundSignature: Uint8Array;
};

const openAll = ({ getSparkFrost }: PublishedSdk, packages: Package[]): Promise<Uint8Array[]> =>
  Promise.all(
    packages.map(({ encryptedPackage }, i) => getSparkFrost().decryptEcies(bytes(encryptedPackage), keyOf(`operator ${i + 1}`))),
  );

/** The secret, after each share was found valid. */
async function restored({ getSparkFrost }: PublishedSdk, all: readonly Share[]): Promise<bigint> {
  const shares = all.map(({ secretShare, proofs }, i) => ({
    threshold: proofs.length,
    index: i + 1,
    share: secretShare,
    proofs,
  }));
  for (const { share, index, threshold, proofs } of shares) await getSparkFrost().validateShare(share, index, threshold, proofs);
  return Fn.fromBytes(await getSparkFrost().recoverSecret(shares.slice(-shares[0]!.threshold)));
}

const submit = async (type: string, parameters: object, key: string) =>
  resultOf(await instance.root.submit(type, parameters), key);

const recipients = { threshold: 3, operatorRecipients: operators(5) };

async function transfer(sdk: PublishedSdk, sender: SparkWallet, receiver: SparkWallet): Promise<Tweak> {
  const { SendLeafKeyTweaks } = await publishedMessages();
  const leaves = [
    { leafId: LEAF, oldLeafDerivation: leaf(LEAF), newLeafDerivation: leaf(NEW), refundSignature: 'ab'.repeat(64) },
  ];
  const parameters = { transferId: TRANSFER, leaves, ...recipients, receiverPublicKey: receiver.publicKey };
  const sent = await submit(
    'SPARK_PREPARE_TRANSFER',
    { signWith: sender.address, transfer: parameters },
    'sparkPrepareTransferResult',
  );
  const opened = await openAll(sdk, sent.operatorPackages);
  const tweaks = opened.map((plain) => (SendLeafKeyTweaks.decode(plain) as { leavesToSend: Tweak[] }).leavesToSend[0]!);
  const [first] = tweaks;
  for (const [i, tweak] of tweaks.entries()) {
    assert.equal(tweak.leafId, LEAF);
    assert.deepEqual(tweak.pubkeySharesTweak, first!.pubkeySharesTweak);
    const { operatorId } = recipients.operatorRecipients[i]!;
    assert.equal(text(tweak.pubkeySharesTweak[operatorId]!), text(secp256k1.getPublicKey(tweak.secretShareTweak.secretShare)));
    assert.equal(text(tweak.refundSignature), 'ab'.repeat(64));
  }
  const [from, to] = [LEAF, NEW].map((id) => Fn.fromBytes(sender.keyAt(leafPath(id))));
  assert.equal(
    await restored(
      sdk,
      tweaks.map(({ secretShareTweak }) => secretShareTweak),
    ),
    Fn.sub(from!, to!),
  );
  const keyTweakPackage = Object.fromEntries(
    (sent.operatorPackages as Package[]).map(({ operatorId, encryptedPackage }) => [operatorId, bytes(encryptedPackage)]),
  );
  const payload = sdk.getTransferPackageSigningPayload(TRANSFER, { keyTweakPackage });
  const signature = bytes(sent.transferUserSignature);
  assert.ok(secp256k1.verify(signature, payload, bytes(sender.publicKey), { prehash: false, format: 'der' }));
  return first!;
}

test('the published wallet opens a transfer, its claim and a Lightning receive', { skip }, async () => {
  const sdk = await publishedSdk();
  const [sender, receiver] = [await sparkWallet(instance.root), await sparkWallet(instance.root, 1)];
  const { secretCipher, signature } = await transfer(sdk, sender, receiver);
  const newKey = await sdk.getSparkFrost().decryptEcies(secretCipher, receiver.keyAt("0'"));
  assert.equal(text(newKey), text(sender.keyAt(leafPath(NEW))));

  const { ClaimLeafKeyTweaks, SecretShare } = await publishedMessages();
  const claim = {
    leaves: [{ leafId: LEAF, ciphertext: text(secretCipher), senderSignature: text(signature) }],
    ...recipients,
    transferId: TRANSFER,
    senderIdentityPublicKey: sender.publicKey,
  };
  const claimed = await submit('SPARK_CLAIM_TRANSFER', { signWith: receiver.address, claim }, 'sparkClaimTransferResult');
  const tweaks = (await openAll(sdk, claimed.operatorPackages)).map(
    (plain) => (ClaimLeafKeyTweaks.decode(plain) as { leavesToReceive: Tweak[] }).leavesToReceive[0]!,
  );
  const change = Fn.sub(Fn.fromBytes(newKey), Fn.fromBytes(receiver.keyAt(leafPath(LEAF))));
  assert.equal(
    await restored(
      sdk,
      tweaks.map(({ secretShareTweak }) => secretShareTweak),
    ),
    change,
  );

  const parameters = { signWith: receiver.address, lightningReceive: recipients };
  const received = await submit('SPARK_PREPARE_LIGHTNING_RECEIVE', parameters, 'sparkPrepareLightningReceiveResult');
  const shares = (await openAll(sdk, received.operatorPackages)).map((plain) => SecretShare.decode(plain) as Share);
  assert.equal(text(sha256(Fn.toBytes(await restored(sdk, shares)))), received.paymentHash);
});
