import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';
import { newSend, type SendFacts } from '../support/world/sends.ts';

const instance = await sharedInstance();
const { root } = instance;

let address: string;
before(async () => {
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] });
  [address] = resultOf(wallet, 'createWalletResult').addresses;
});
const send = (facts?: SendFacts) => newSend({ instance, client: root }, address, facts);
const row = (id: string) => instance.engine.store.read.sends.get(root.organizationId, id);

async function sends(...args: string[]): Promise<{ code: number; text: string; complaint: string }> {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const { code, out, err } = await cli(['sends', ...args, '--url', instance.url, '--credentials', credentials]);
  return { code, text: out, complaint: err };
}

test('a list, with filters and pages', async () => {
  const failed = await send({ state: 'failed', error: { message: 'no \u001b[31mluck' }, caip2: 'eip155:7' });
  const out = await send({ caip2: 'eip155:7' });
  const all = await sends('list', '--caip2', 'eip155:7');
  const time = new Date(out.createdAt).toISOString();
  const from = address.toLowerCase();
  assert.deepEqual([all.code, all.complaint], [0, '']);
  assert.equal(
    all.text,
    [
      `${out.id}  ${time}  BROADCASTING  eip155:7  ${from}  ${out.hash}`,
      `${failed.id}  ${new Date(failed.createdAt).toISOString()}  FAILED  eip155:7  ${from}  no ·[31mluck`,
      '',
    ].join('\n'),
  );
  const one = await sends('list', '--caip2', 'eip155:7', '--limit', '1', '--json');
  assert.deepEqual([JSON.parse(one.text).sends.length, JSON.parse(one.text).next], [1, out.id]);
  assert.match((await sends('list', '--state', 'failed,included', '--from', address)).text, new RegExp(`^${failed.id}.*\n$`));
  assert.equal((await sends('list', '--caip2', 'eip155:8')).text, 'There are no such sends.\n');
  const wrong = await sends('list', '--state', 'DONE');
  assert.equal(wrong.code, 2);
  assert.match(wrong.complaint, /--state must be of INITIALIZED, BROADCASTING, INCLUDED, FAILED, not "DONE"/);
});

test('one send, and one that nobody knows', async () => {
  const native = { nativeType: 'error_string' as const, message: 'no luck' };
  const revertChain = [{ address: '0xabc', errorType: 'native' as const, displayMessage: 'no luck', native }];
  const facts = {
    state: 'final' as const,
    blockNumber: 9,
    blockHash: '0xfeed',
    error: { message: 'execution reverted: no luck', revertChain },
  };
  const { id, hash } = await send(facts);
  const told = await sends('show', id);
  assert.equal(told.code, 0, told.complaint);
  for (const line of [
    `${id}: INCLUDED, final`,
    '  nonce 5',
    `  transaction ${hash}`,
    '  in block 9 (0xfeed)',
    '    0xabc: no luck',
  ])
    assert.ok(told.text.split('\n').includes(line), `${line} in\n${told.text}`);
  assert.equal(JSON.parse((await sends('show', id, '--json', '--wait')).text).hash, hash);
  const unknown = await sends('show', NOBODY);
  assert.equal(unknown.code, 1);
  assert.match(unknown.complaint, /send not found/);
});

test('cancelling says what would be decided, and then does it', async () => {
  const { id } = await send({ state: 'queued', nonce: null, hash: '', attempts: [] });
  const dry = await sends('cancel', id, '--reason', 'a mistake', '--dry-run');
  assert.match(dry.text, /The request to cancel would be decided by the root quorum\b.*Nothing was changed\.\n$/);
  assert.equal((await row(id))!.state, 'queued');
  const done = await sends('cancel', id, '--reason', 'a mistake', '--wait');
  assert.equal(done.code, 0, done.complaint);
  assert.match(done.text, /FAILED, final[\s\S]*cancelled by activity \S+ before it was signed: a mistake/);
  const again = await sends('cancel', id, '--reason', 'a mistake');
  assert.equal(again.code, 1);
  assert.match(again.complaint, /it has failed/);
  const late = await sends('cancel', id, '--reason', 'a mistake', '--dry-run');
  assert.equal(late.code, 1);
  assert.match(late.text, /\nIt would be refused: it has failed\. Nothing was changed\.\n$/);
  const json = await sends('speed-up', id, '--reason', 'slow', '--dry-run', '--json');
  assert.deepEqual([json.code, JSON.parse(json.text).refusal], [1, 'it has failed']);
});

test('speeding up takes fees', async () => {
  const { id } = await send();
  const low = await sends('speed-up', id, '--reason', 'slow', '--max-fee', '1');
  assert.equal(low.code, 1);
  assert.match(low.complaint, /must be at least 2200000000/);
  const done = await sends(
    'speed-up',
    id,
    '--reason',
    'slow',
    '--max-fee',
    '3000000000',
    '--max-priority-fee',
    '2000000000',
    '--json',
  );
  assert.equal(done.code, 0, done.complaint);
  const { activityId, send: shown } = JSON.parse(done.text);
  const wish = { what: 'speed-up', activityId, reason: 'slow', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '2000000000' };
  assert.deepEqual(shown.wish, wish);
});

test('wrong usage', async () => {
  const cases: [string[], RegExp][] = [
    [['cancel', NOBODY], /give a reason: countersign sends cancel SEND_ID --reason TEXT/],
    [['cancel'], /name a send: countersign sends cancel SEND_ID/],
    [['show', 'x'], /must be a sendTransactionStatusId, not "x"/],
    [['drop', NOBODY], /there is no "sends drop"/],
    [['list', 'x'], /takes no "x"/],
    [['cancel', NOBODY, '--reason', 'a', '--max-fee', '1'], /takes no fees/],
    [['speed-up', NOBODY, '--reason', 'a', '--max-fee', '1e9'], /must be a whole number of wei/],
  ];
  for (const [args, text] of cases) {
    const { code, complaint } = await sends(...args);
    assert.equal(code, 2, complaint);
    assert.match(complaint, text);
  }
});
