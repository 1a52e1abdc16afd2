/** Requests of all kinds to two processes, one after another of each kind. Each that is acknowledged must exist once in the end. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { invitation } from '../../activities/invitations/support.ts';
import { signing } from '../../e2e/authority.ts';
import { type Answer, type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { rawSql } from '../../support/database.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';

const ACCOUNTS = 8;
const VALUE = 1_000n;
/** The longest that a request may take. */
const ANSWER_MS = 30_000;
const CAIP2 = 'eip155:31337';
/** Acknowledged bodies that are sent again in the end. */
const REPEATED = 50;

/** The settings of processes that this load needs. */
export const LOAD_SETTINGS = {
  LIMIT_TAGS: '1000000',
  LIMIT_INVITATIONS: '1000000',
  LIMIT_USERS: '1000000',
  LIMIT_SUB_ORGANIZATIONS: '1000000',
};

export type Made = { kind: string; type: string; body: string; id: string; to?: string };

export type Settled = { sends: number; others: number; unavailable: number; longestMs: number };

export type Load = {
  /** Rejects once a request was answered as none may be. */
  broken: Promise<never>;
  send(): Promise<Made>;
  /** A signature by this process. */
  sign(service: ServiceProcess): Promise<Made>;
  /** Waits until a send is on the chain. */
  landed(send: Made): Promise<void>;
  /** Ends the load after at least `sends` sends. Each accepted activity must exist once in the database of `url`. */
  settled(sends: number, url: string): Promise<Settled>;
};

type Options = { services: readonly ServiceProcess[]; chainUrl: string; random: (n: number) => number };

export async function startLoad({ services, chainUrl, random }: Options): Promise<Load> {
  const root = () => services[random(2)]!.root();
  const wallet = await root().submit('CREATE_WALLET', {
    walletName: 'Load',
    accounts: Array.from({ length: ACCOUNTS }, (_, i) => ethereumAccount(i)),
  });
  const { addresses } = resultOf(wallet, 'createWalletResult') as { addresses: string[] };
  for (const address of addresses) await rpc(chainUrl, 'anvil_setBalance', [address, '0x56bc75e2d63100000']);
  const { userId } = (await root().query('whoami')).body;

  const made: Made[] = [];
  let count = 0;
  let unavailable = 0;
  let longestMs = 0;
  let isLoaded = true;
  let broke: (error: unknown) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    broke = reject;
  });
  broken.catch(() => {});

  /** One request, which must have an answer. */
  async function asked(type: string, body: string, by = root()): Promise<Answer> {
    const begun = performance.now();
    const answer = await by.send(submitPath(type), body);
    longestMs = Math.max(longestMs, performance.now() - begun);
    if (answer.status === 503) unavailable++;
    else assert.equal(answer.status, 200, `${type}: ${answer.text}`);
    return answer;
  }

  /** The same body until it is carried out, as the answers say. */
  async function carriedOut(kind: string, type: string, parameters: object, to?: string, by?: Client): Promise<Made> {
    const body = root().bodyOf(type, parameters);
    for (;;) {
      const answer = await asked(type, body, by);
      if (answer.status === 503) {
        assert.match(answer.body.message, /send the same body again/);
        await sleep(20);
        continue;
      }
      const { id, status } = answer.body.activity;
      assert.equal(status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
      const one = { kind, type, body, id, ...(to === undefined ? {} : { to }) };
      made.push(one);
      return one;
    }
  }

  function send(): Promise<Made> {
    const to = `0x${(0xc0de_0000_0000 + ++count).toString(16).padStart(40, '0')}`;
    const from = addresses[count % ACCOUNTS]!;
    return carriedOut('send', 'ETH_SEND_TRANSACTION', { from, to, caip2: CAIP2, value: String(VALUE), data: '0x' }, to);
  }

  const kinds: (() => Promise<Made>)[] = [
    send,
    send,
    () => carriedOut('sign', 'SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)),
    () => carriedOut('sign', 'SIGN_RAW_PAYLOAD_V2', signing(addresses[1]!)),
    () => carriedOut('tag', 'CREATE_USER_TAG', { userTagName: `tag ${++count}`, userIds: [] }),
    // Mail is the outbox worker's, and what deleted organizations leave the deletion worker's.
    () => carriedOut('mail', 'CREATE_INVITATIONS', { invitations: [invitation(`guest${++count}`, userId)] }),
    async () => {
      const keys = newKeys();
      const subOrganizationName = `sub ${++count}`;
      const rootUsers = [userWith('only', [keys])];
      const body = root().bodyOf('CREATE_SUB_ORGANIZATION_V8', { subOrganizationName, rootQuorumThreshold: 1, rootUsers });
      for (;;) {
        const answer = await asked('CREATE_SUB_ORGANIZATION_V8', body);
        if (answer.status === 503) continue;
        const id = resultOf(answer, 'createSubOrganizationResultV8').subOrganizationId;
        const inside = () => root().as(keys, id);
        const deletion = inside().bodyOf('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true });
        while ((await inside().send(submitPath('DELETE_SUB_ORGANIZATION'), deletion)).status === 503) await sleep(20);
        const one = { kind: 'organization', type: 'CREATE_SUB_ORGANIZATION_V8', body, id: answer.body.activity.id };
        made.push(one);
        return one;
      }
    },
  ];

  const load = kinds.map(async (make) => {
    while (isLoaded) {
      await make();
      await sleep(random(150));
    }
  });
  for (const one of load) one.catch(broke);

  const balanceOf = async (to: string) => BigInt(await rpc<string>(chainUrl, 'eth_getBalance', [to, 'latest']));

  async function landed({ to }: Made): Promise<void> {
    await waitFor(`the send to ${to} lands`, async () => (await balanceOf(to!)) > 0n);
    assert.equal(await balanceOf(to!), VALUE, `${to} once`);
  }

  async function settled(sends: number, url: string): Promise<Settled> {
    const at = { folder: '', url };
    while (made.filter(({ kind }) => kind === 'send').length < sends) await Promise.race([sleep(50), broken]);
    isLoaded = false;
    await Promise.all(load);
    const kept = new Set((await rawSql(at, 'SELECT id FROM activities', [])).map(({ id }) => id));
    const lost = made.filter(({ id }) => !kept.has(id));
    assert.deepEqual(lost, [], 'acknowledged activities are lost');
    for (const { type, body, id } of made.slice(-REPEATED)) assert.equal((await asked(type, body)).body.activity.id, id);
    const sent = made.filter(({ kind }) => kind === 'send');
    for (const one of sent) await landed(one);
    const counted = async (sql: string) => Number((await rawSql(at, sql, []))[0]!.count);
    assert.equal(await counted('SELECT count(*) FROM sends'), sent.length);
    const signed = made.filter(({ kind }) => kind === 'sign');
    assert.equal(
      await counted("SELECT count(*) FROM activities WHERE type LIKE 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD%'"),
      signed.length,
    );
    assert.equal(await counted('SELECT count(*) FROM tags'), made.filter(({ kind }) => kind === 'tag').length);
    // The lease of a message lasts a minute. The test does not wait for that.
    await rawSql(at, 'UPDATE outbox SET due_at = 0', []);
    await waitFor('all mail is sent', async () => (await counted('SELECT count(*) FROM outbox')) === 0);
    await waitFor(
      'nothing is left of deleted organizations',
      async () => (await counted('SELECT count(*) FROM deleted_organizations WHERE unswept = 1')) === 0,
    );
    assert.ok(longestMs < ANSWER_MS, `a request took ${longestMs} ms`);
    return { sends: sent.length, others: made.length - sent.length, unavailable, longestMs };
  }

  const sign = (service: ServiceProcess) =>
    carriedOut('sign', 'SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!), undefined, service.root());
  return { broken, send, sign, landed, settled };
}
