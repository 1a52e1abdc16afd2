/** Two processes on one PostgreSQL behind a proxy that makes connections silent, while they send, sign and change things. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { invitation } from '../../activities/invitations/support.ts';
import { signing } from '../../e2e/authority.ts';
import { startAnvil } from '../../support/anvil.ts';
import { type Answer, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { rawSql } from '../../support/database.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { seeded } from '../../support/seeded.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { waitFor } from '../../support/wait.ts';

const ACCOUNTS = 8;
const VALUE = 1_000n;
/** What the issue of such connections asks for, whatever the time-outs are. */
const READY_MS = 2_000;
const SENDING_MS = 30_000;
/** A machine that is busy with other tests answers a second later. */
const SLACK_MS = 1_000;
/** The longest that a request may take. */
const ANSWER_MS = 30_000;

const CAIP2 = 'eip155:31337';

type Sent = { type: string; body: string; answer: Answer };
type Made = { kind: string; body: string; id: string; to?: string };

export type Moment = { how: string; sendingMs: number; ready: string[] };

export type Silences = {
  /** Makes all connections silent after some load, and looks at what follows. */
  moment(): Promise<Moment>;
  /** Ends the load after at least `sends` sends. Each accepted activity must exist once. Gives the counts. */
  settled(sends: number): Promise<{ sends: number; others: number; unavailable: number; longestMs: number }>;
  stop(): Promise<void>;
};

type Options = { seed: number; statementSeconds?: number };

export async function startSilences(
  database: { url: string; drop(): Promise<void> },
  { seed, statementSeconds = 1 }: Options,
): Promise<Silences> {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-silence-'));
  const at = { folder, url: database.url };
  const proxy = await startSilentProxy(database.url);
  const anvil = await startAnvil('--order', 'fifo');
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: proxy.url,
    DATABASE_POOL: '8',
    DATABASE_STATEMENT_SECONDS: String(statementSeconds),
    RPC_URL_EIP155_31337: anvil.url,
    LIMIT_TAGS: '1000000',
    LIMIT_INVITATIONS: '1000000',
    LIMIT_USERS: '1000000',
    LIMIT_SUB_ORGANIZATIONS: '1000000',
  };
  const services: ServiceProcess[] = [];

  async function stop(): Promise<void> {
    for (const { child } of services) child.kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await anvil.stop();
    await proxy.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }

  async function start(): Promise<void> {
    while (services.length < 2) {
      const service = await startProcess(env);
      services.push(service);
      await service.ready();
    }
  }

  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const root = () => services[random(2)]!.root();
  const wallet = await root().submit('CREATE_WALLET', {
    walletName: 'Silence',
    accounts: Array.from({ length: ACCOUNTS }, (_, i) => ethereumAccount(i)),
  });
  const { addresses } = resultOf(wallet, 'createWalletResult') as { addresses: string[] };
  for (const address of addresses) await rpc(anvil.url, 'anvil_setBalance', [address, '0x56bc75e2d63100000']);
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
  async function asked(type: string, body: string): Promise<Sent> {
    const begun = performance.now();
    const answer = await root().send(submitPath(type), body);
    longestMs = Math.max(longestMs, performance.now() - begun);
    if (answer.status === 503) unavailable++;
    else assert.equal(answer.status, 200, `${type}: ${answer.text}`);
    return { type, body, answer };
  }

  /** The same body until it is carried out, as the answers say. */
  async function carriedOut(kind: string, type: string, parameters: object, to?: string): Promise<Made> {
    const body = root().bodyOf(type, parameters);
    for (;;) {
      const { answer } = await asked(type, body);
      if (answer.status === 503) {
        assert.match(answer.body.message, /send the same body again/);
        await sleep(20);
        continue;
      }
      const { id, status } = answer.body.activity;
      assert.equal(status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
      const one = { kind, body, id, ...(to === undefined ? {} : { to }) };
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
        const { answer } = await asked('CREATE_SUB_ORGANIZATION_V8', body);
        if (answer.status === 503) continue;
        const id = resultOf(answer, 'createSubOrganizationResultV8').subOrganizationId;
        const inside = () => root().as(keys, id);
        const deletion = inside().bodyOf('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true });
        while ((await inside().send(submitPath('DELETE_SUB_ORGANIZATION'), deletion)).status === 503) await sleep(20);
        return { kind: 'organization', body, id };
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

  const balanceOf = async (to: string) => BigInt(await rpc<string>(anvil.url, 'eth_getBalance', [to, 'latest']));

  /** What /ready says, in time. */
  async function ready({ url }: ServiceProcess): Promise<string> {
    const begun = performance.now();
    const answer = await fetch(`${url}/ready`);
    const { reason } = (await answer.json()) as { reason?: string };
    const took = performance.now() - begun;
    assert.ok(took < READY_MS + SLACK_MS, `/ready took ${took} ms`);
    if (answer.status === 503) assert.match(reason ?? '', /the database/);
    return reason ?? 'ready';
  }

  async function moment(): Promise<Moment> {
    await Promise.race([sleep(random(2_000)), broken]);
    const how = random(3) === 0 ? 'answers' : 'both';
    proxy.silence(how);
    const begun = performance.now();
    const heard = Promise.all(services.map(ready));
    const landed = async () => {
      const { to } = await send();
      await waitFor('a send goes on', async () => (await balanceOf(to!)) === VALUE);
      return performance.now() - begun;
    };
    const sendingMs = await Promise.race([landed(), broken]);
    assert.ok(sendingMs < SENDING_MS + SLACK_MS, `sending went on after ${sendingMs} ms`);
    return { how, sendingMs, ready: await heard };
  }

  async function settled(sends: number) {
    while (made.filter(({ kind }) => kind === 'send').length < sends) await Promise.race([sleep(50), broken]);
    isLoaded = false;
    await Promise.all(load);
    const sent = made.filter(({ kind }) => kind === 'send');
    for (const { to } of sent) {
      await waitFor(`the send to ${to} lands`, async () => (await balanceOf(to!)) > 0n);
      assert.equal(await balanceOf(to!), VALUE, `${to} once`);
    }
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

  return { moment, settled, stop };
}
