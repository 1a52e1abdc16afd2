/** A chain whose blocks are final at once, behind an endpoint that knows receipts later than nonces. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { waitFor } from '../../../support/wait.ts';
import { startSends, type World } from './support.ts';

type Request = { id: unknown; method: string; params: unknown[] };

test(`a receipt that comes late is waited for, and nothing is sent twice, on ${engineName}`, async () => {
  let hides = true;
  let questions = 0;
  let target = '';
  async function answerTo(asked: Request): Promise<unknown> {
    const isReceipt = asked.method === 'eth_getTransactionReceipt';
    if (isReceipt) questions++;
    if (isReceipt && hides) return { jsonrpc: '2.0', id: asked.id, result: null };
    const params = asked.params.map((one) => (one === 'finalized' ? 'latest' : one));
    const body = JSON.stringify({ ...asked, jsonrpc: '2.0', params });
    return (await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
  }
  const server = createServer(async (request, response) => {
    const asked = (await json(request)) as Request | Request[];
    const answer = await (Array.isArray(asked) ? Promise.all(asked.map(answerTo)) : answerTo(asked));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let world: World | undefined;
  try {
    world = await startSends({
      urls: (anvil) => {
        target = anvil.url;
        return url;
      },
    });
    const from = await world.newAccount();
    const send = await world.accept(from);
    await world.until(send, ({ blockNumber }) => blockNumber !== null);
    for (let blocks = 0; blocks < 5; blocks++) {
      const before = questions;
      await world.ask('anvil_mine', '0x2');
      await waitFor('it is asked twice', () => questions >= before + 2);
      assert.equal((await world.read(send)).state, 'sent');
    }
    hides = false;
    await world.untilState(send, 'included');
    assert.equal((await world.attemptsOf(send)).length, 1);
    assert.equal(await world.nonceOf(from), 1);
  } finally {
    await world?.stop();
    server.closeAllConnections();
    server.close();
  }
});
