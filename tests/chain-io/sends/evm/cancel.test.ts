/** A cancel that meets bounds, empty accounts and missing keys. The operator allows automatic replacements to pay nothing more. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { generatePrivateKey } from 'viem/accounts';
import type { Send } from '../../../../src/model/send.ts';
import { initPrivateKeyImport, sealKey } from '../../../activities/custody.ts';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { waitFor } from '../../../support/wait.ts';
import { ETHER, hex, startSends } from './support.ts';

const world = await startSends({ anvil: ['--no-mining'], env: { SEND_FEE_LIMIT_PERCENT: '100' } });
after(() => world.stop());
const { root, raw, clock, credentials } = world.instance;
const GWEI = 10n ** 9n;
const OUTBIDS = { maxFeePerGas: '22500000001', maxPriorityFeePerGas: '1125000001' };

const mine = (blocks = 1) => world.ask('anvil_mine', hex(blocks));
const isKnown = async (hash: string) => (await world.ask<object | null>('eth_getTransactionByHash', hash)) !== null;
const waitOf = async ({ id }: Send): Promise<string | undefined> =>
  (await root.query('list_sends', { sendTransactionStatusId: id })).body.sends[0].waitsFor;

async function out(from: string, more: object = {}): Promise<Send> {
  const send = await world.untilState(await world.accept(from, more), 'sent');
  await waitFor('the node has it', () => isKnown(send.hash));
  return send;
}

async function cancel({ id }: Send): Promise<string> {
  const answer = await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: id, reason: 'a test' });
  resultOf(answer, 'countersignCancelSendResult');
  return `cancelled by activity ${answer.body.activity.id}: a test`;
}

async function cancelOut(send: Send) {
  return waitFor('the node has the cancel', async () => {
    const newest = (await world.attemptsOf(send)).at(-1)!;
    return newest.purpose === 'cancel' && (await isKnown(newest.hash)) && newest;
  });
}

/** Blocks come until the cancel is final. The node may have dropped it, and gets it again. */
async function fails(send: Send, message: string): Promise<void> {
  await waitFor('its nonce is used', async () => {
    clock.advance(5_000);
    await mine();
    return (await world.nonceOf(send.account)) > send.nonce!;
  });
  await mine(200);
  assert.equal((await world.untilState(send, 'failed')).error!.message, message);
}

for (const feesGiven of [false, true])
  test(`a cancel outbids a payment at its bound, once, ${feesGiven ? 'also if its fees were given, ' : ''}on ${engineName}`, async () => {
    const send = await out(await world.newAccount(), { feesGiven });
    const message = await cancel(send);
    const first = await cancelOut(send);
    assert.deepEqual([first.number, first.fees], [2, OUTBIDS]);
    assert.equal(await isKnown(send.hash), false);
    // Blocks ask for more: it does not outbid itself again and again.
    await world.ask('anvil_setNextBlockBaseFeePerGas', hex(30n * GWEI));
    await mine();
    for (let round = 0; round < 3; round++) {
      const { dueAt } = await world.read(send);
      clock.advance(20_000);
      await world.until(send, (now) => now.dueAt > dueAt, 'looked at again');
    }
    assert.equal((await world.attemptsOf(send)).length, 2);
    await world.ask('anvil_setNextBlockBaseFeePerGas', hex(GWEI));
    await mine();
    await fails(send, message);
  });

test(`a cancel says what it waits for while its account has too few coins, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await out(from);
  assert.equal(await waitOf(send), undefined);
  await world.ask('anvil_setBalance', from, '0x1');
  const message = await cancel(send);
  const waits = await waitFor('the cancel is refused', () => waitOf(send));
  assert.match(waits, new RegExp(`^nodes refuse its cancel, .*: send ${from} more coins for the gas of the cancel: `));
  await world.ask('anvil_setBalance', from, hex(ETHER));
  await waitFor('it is given again', async () => {
    clock.advance(5_000);
    return (await waitOf(send)) === undefined;
  });
  await cancelOut(send);
  await fails(send, message);
});

test(`a cancelled send that no node had is given to none without its key, and says so; with the key those behind go on, on ${engineName}`, async () => {
  const key = generatePrivateKey();
  const importer = { client: root, userId: credentials.userId };
  let imports = 0;
  async function imported(): Promise<{ privateKeyId: string; addresses: { address: string }[] }> {
    const encryptedBundle = await sealKey(importer, await initPrivateKeyImport(importer), key.slice(2));
    const format = { curve: 'CURVE_SECP256K1', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] };
    const parameters = { userId: credentials.userId, privateKeyName: `key ${++imports}`, encryptedBundle, ...format };
    return resultOf(await root.submit('IMPORT_PRIVATE_KEY', parameters), 'importPrivateKeyResult');
  }
  const { privateKeyId, addresses } = await imported();
  const from = addresses[0]!.address.toLowerCase();
  await world.ask('anvil_setBalance', from, hex(ETHER));
  const [send, next] = [await out(from), await out(from)];
  // As if its process had died before the broadcast, and another had taken the account after both requests.
  await raw("UPDATE send_accounts SET owner = 'dead', lease_until = $1 WHERE account = $2", clock.now() + 10_000, from);
  await raw("UPDATE sends SET state = 'signed' WHERE id = (SELECT send_id FROM send_attempts WHERE hash = $1)", send.hash);
  await world.ask('anvil_dropAllTransactions');
  const message = await cancel(send);
  const gone = { privateKeyIds: [privateKeyId], deleteWithoutExport: true };
  resultOf(await root.submit('DELETE_PRIVATE_KEYS', gone), 'deletePrivateKeysResult');
  clock.advance(11_000);
  const waits = await waitFor('it waits', () => waitOf(send));
  assert.equal(
    waits,
    `another transaction must take its nonce 0. No usable key of ${from} is here: import it, or use the nonce with a copy of it. Later sends of the account wait too`,
  );
  await waitFor('the one behind is given again', async () => {
    clock.advance(5_000);
    return isKnown(next.hash);
  });
  await mine();
  assert.deepEqual([await isKnown(send.hash), await world.nonceOf(from)], [false, 0]);
  await imported();
  await waitFor('the nonce is taken', async () => {
    clock.advance(5_000);
    return (await waitOf(send)) === undefined;
  });
  await cancelOut(send);
  await mine();
  await world.untilState(next, 'included');
  await fails(send, message);
});
