import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { signRawPayload } from '../../src/activities/signing/sign-raw-payload.ts';
import { KnownFacts } from '../../src/engine/request/known-facts.ts';
import { type Answer, type Client, resultOf, submitPath } from '../support/client.ts';
import { amount } from '../support/full.ts';
import { sharedInstance } from '../support/instance.ts';
import { newPolicy, newWallet, signing } from './authority.ts';

const instance = await sharedInstance({ TRUSTED_PROXIES: '127.0.0.1' });
const { root } = instance;

const OFFICE = '192.0.2.10';
const HOME = [{ cidr: '127.0.0.1' }];
const BOTH = [...HOME, { cidr: OFFICE }];
const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const PATH = submitPath(TYPE);

const set = async (parameters: object) => resultOf(await root.submit('SET_IP_ALLOWLIST', parameters), 'setIpAllowlistResult');
const recorded = async (body: string): Promise<number> => {
  const digest = createHash('sha256').update(body).digest();
  return (await instance.raw('SELECT id FROM activities WHERE fingerprint = $1', digest)).length;
};

type Signer = { client: Client; body(): string; sign(): Promise<Answer> };

/** A user who signs from the office, whose facts are in memory. */
async function warm(): Promise<Signer> {
  await set({ enabled: true, rules: BOTH });
  const { client, userId } = await instance.newUser('Signer');
  const { addresses } = await newWallet(root);
  await newPolicy(root, { condition: "activity.action == 'SIGN'", consensus: `approvers.any(u, u.id == '${userId}')` });
  const away = client.from(OFFICE);
  const sign = () => away.submit(TYPE, signing(addresses[0]!));
  for (let i = 0; i < 3; i++) assert.equal((await sign()).status, 200);
  return { client: away, body: () => away.bodyOf(TYPE, signing(addresses[0]!)), sign };
}

/** Two ways in which the office loses its place: off the organization's list, and off the key's own. */
const LOSSES: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'the organization’s list': () => set({ rules: HOME }),
  'the key’s list': ({ keys }) => set({ publicKey: keys.publicKey, rules: HOME }),
};

for (const [name, lose] of Object.entries(LOSSES)) {
  test(`${name} changes between a signature and its record: it is dropped`, async (t) => {
    const { client, body } = await warm();
    const { execute } = signRawPayload;
    let signed = 0;
    t.mock.method(signRawPayload, 'execute', async (...args: Parameters<typeof execute>) => {
      if (++signed === 1) await lose(client);
      return execute(...args);
    });
    const sent = body();
    assert.equal((await client.send(PATH, sent)).status, 403);
    assert.equal(signed, 1, 'the first decision was by what was kept');
    assert.equal(await recorded(sent), 0);
  });

  test(`${name} is changed by another process, which says nothing to this one`, async (t) => {
    const { client, body, sign } = await warm();
    const repeated = body();
    assert.equal((await client.send(PATH, repeated)).status, 200);
    t.mock.method(KnownFacts.prototype, 'forget', () => {});
    t.mock.method(KnownFacts.prototype, 'saw', () => {});
    t.mock.method(KnownFacts.prototype, 'remembers', () => false);
    const recalled = t.mock.method(KnownFacts.prototype, 'recall');
    await lose(client);
    recalled.mock.resetCalls();
    assert.equal((await client.send(PATH, repeated)).status, 403);
    assert.ok(recalled.mock.calls[0]?.result !== undefined, 'what was kept is still there');
    assert.equal((await sign()).status, 403);
  });

  test(`${name} changes while many sign and ask: nothing that begins after the acknowledgement is answered`, async () => {
    for (let round = 0; round < amount(2, 5); round++) {
      const { client, sign } = await warm();
      let acknowledged = false;
      const late: number[] = [];
      let early = 0;
      const work = async (send: () => Promise<Answer>) => {
        for (let after = 0; after < 3; ) {
          const began = acknowledged;
          const { status } = await send();
          if (began) after = late.push(status) && after + 1;
          else early += status === 200 ? 1 : 0;
        }
      };
      const workers = [sign, sign, sign, sign, () => client.query('whoami'), () => client.query('list_wallets')].map(work);
      while (early < 6) await root.query('whoami');
      await lose(client);
      acknowledged = true;
      await Promise.all(workers);
      assert.deepEqual(new Set(late), new Set([403]));
      assert.equal(late.length, 18);
    }
  });
}

test('an address that is put on the list may sign in the very next request', async () => {
  const { client, sign } = await warm();
  for (let i = 0; i < 5; i++) {
    await set({ rules: HOME });
    assert.equal((await sign()).status, 403);
    await set({ publicKey: client.keys.publicKey, rules: BOTH });
    assert.equal((await sign()).status, 200);
    await set({ publicKey: client.keys.publicKey, rules: [] });
    assert.equal((await sign()).status, 403);
    await set({ rules: BOTH });
    assert.equal((await sign()).status, 200);
  }
});
