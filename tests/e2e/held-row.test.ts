import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { startInstance } from '../support/instance.ts';
import { newWallet, signing } from './authority.ts';

test('a process that stops in the middle of a change holds up no signature of others, and no change for ever', {
  skip: engineName === 'sqlite' && 'needs PostgreSQL',
}, async () => {
  const instance = await startInstance();
  const other = new pg.Client({ connectionString: instance.databaseUrl! });
  try {
    const [held, free] = await Promise.all([
      instance.newSubOrganization('Held', 1, 1),
      instance.newSubOrganization('Free', 1, 1),
    ]);
    const [changing, signer] = [held.clients[0]!, free.clients[0]!];
    const { addresses } = await newWallet(signer);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT version FROM organizations WHERE id = $1 FOR NO KEY UPDATE', [held.organizationId]);
    // More than there are connections.
    const bodies = Array.from({ length: 20 }, (_, i) => changing.bodyOf('CREATE_WALLET', { walletName: `${i}`, accounts: [] }));
    const send = (body: string) => changing.send(submitPath('CREATE_WALLET'), body);
    const waiting = bodies.map((body) => send(body));
    for (let i = 0; i < 20; i++) assert.equal((await signer.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!))).status, 200);
    const first = await Promise.race(waiting);
    assert.equal(first.status, 503, first.text);
    assert.match(first.body.message, /the service is busy: send the same body again/);
    await other.query('ROLLBACK');
    await Promise.all(waiting);
    for (const body of bodies) {
      const answer = await send(body);
      assert.equal(answer.status, 200, answer.text);
    }
    assert.equal((await changing.query('list_wallets')).body.wallets.length, 20);
  } finally {
    await other.end();
    await instance.close();
  }
});
