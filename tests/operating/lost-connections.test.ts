import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { signing } from '../e2e/authority.ts';
import { ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { type Instance, startInstance } from '../support/instance.ts';

const skip = engineName !== 'postgres' && 'SQLite has no connections';

let instance: Instance;
before(async () => {
  if (!skip) instance = await startInstance({ LIMIT_TAGS: '1000000' });
});
after(() => instance?.close());

/** Cuts connections wherever their transactions are, as a restart, a failover or a timeout of the server does. */
const cut = () =>
  instance.raw(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'countersign' AND datname = current_database()",
  );

test('after a lost connection, a client need only send the same body again', { skip }, async () => {
  const { root } = instance;
  const made = await root.submit('CREATE_WALLET', { walletName: 'Kept', accounts: [ethereumAccount()] });
  const [address] = resultOf(made, 'createWalletResult').addresses;
  let cutting = true;
  let count = 0;
  const cuts = (async () => {
    for (; cutting; count++) {
      await cut();
      await pause(20);
    }
  })();
  const sent: [type: string, body: string][] = [];
  const statuses = new Set<number>();
  const worker = async (w: number) => {
    for (let i = 0; i < 40 || (!statuses.has(503) && count < 1000); i++) {
      const [type, parameters] =
        i % 2 === 0
          ? ['SIGN_RAW_PAYLOAD_V2', signing(address)]
          : ['CREATE_USER_TAG', { userTagName: `tag ${w} ${i}`, userIds: [] }];
      const body = root.bodyOf(type as string, parameters);
      sent.push([type as string, body]);
      const answer = await root.send(submitPath(type as string), body);
      statuses.add(answer.status);
      assert.ok(answer.status === 200 || answer.status === 503, answer.text);
    }
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  cutting = false;
  await cuts;
  assert.ok(statuses.has(503), 'some were hit');
  for (const [type, body] of sent) {
    const again = await root.send(submitPath(type), body);
    assert.equal(again.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', again.text);
  }
  const { userTags } = (await root.query('list_user_tags')).body;
  assert.equal(userTags.length, sent.filter(([type]) => type === 'CREATE_USER_TAG').length, 'each once');
});
