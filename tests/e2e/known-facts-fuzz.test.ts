import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { KnownFacts } from '../../src/engine/request/known-facts.ts';
import { type Answer, type Client, clientOf, type Keys, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { engineName, freshMigrated } from '../support/database.ts';
import { startInstance } from '../support/instance.ts';
import { startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';
import { newPolicy, newWallet, signing } from './authority.ts';

/**
 * Requests that overtake each other: the same bodies by several users, while keys are revoked and policies go, at random moments. The
 * schedule follows from a seed; what is in flight together does not. Each answer is judged by what was certain when it was sent.
 */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 500);
const SEED = Number(process.env.TEST_SEED ?? 20261121);
const AT_ONCE = 8;
const USERS = 3;

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const PATH = submitPath(TYPE);

let events = 0;

/** Events between which something was so, at the earliest or at the latest. */
type Span = { from: number; to: number };

/** A right that comes and goes. It may hold from when it was asked for to when its end was answered, and surely does in between. */
class Right {
  readonly may: Span[] = [];
  readonly does: Span[] = [];
  isHeld = false;
  isMoving = false;

  async move(change: () => Promise<void>): Promise<void> {
    this.isMoving = true;
    const now = ++events;
    if (this.isHeld) this.does.at(-1)!.to = now;
    else this.may.push({ from: now, to: Infinity });
    await change();
    const done = ++events;
    if (this.isHeld) this.may.at(-1)!.to = done;
    else this.does.push({ from: done, to: Infinity });
    this.isHeld = !this.isHeld;
    this.isMoving = false;
  }
}

/** Whether there was a moment when all of these held, at the most. */
function may(rights: readonly Right[], { from, to }: Span): boolean {
  const [first, ...rest] = rights;
  if (first === undefined) return from <= to;
  return first.may.some((span) => may(rest, { from: Math.max(from, span.from), to: Math.min(to, span.to) }));
}

const surely = (rights: readonly Right[], { from, to }: Span): boolean =>
  rights.every(({ does }) => does.some((span) => span.from < from && to < span.to));

type Service = { clients: Client[]; stop(): Promise<void> };

/** One process on SQLite, two on PostgreSQL, as seen by the root user. */
async function start(): Promise<Service> {
  if (engineName === 'sqlite') {
    const instance = await startInstance();
    return { clients: [instance.root], stop: () => instance.close() };
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-fuzz-'));
  const database = (await freshMigrated(dataDir))!;
  const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
  const services = await Promise.all([startProcess(env), startProcess(env)]);
  await Promise.all(services.map((service) => service.ready()));
  return {
    clients: services.map((service) => service.root()),
    async stop() {
      for (const { child } of services) child.kill('SIGTERM');
      for (const { exited } of services) await exited;
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type User = { userId: string; keys: Keys; apiKeyId: string; key: Right };

type Sent = { user: User; during: Span };

type Body = { text: string; sent: Sent[]; id?: string; signature?: string };

test(`${ROUNDS} rounds find no signature whose right was gone before it was sent`, async (t) => {
  // One process acts as two: what it keeps is not dropped when it makes a change, as if another had made it.
  if (engineName === 'sqlite')
    for (const drops of ['forget', 'saw'] as const) t.mock.method(KnownFacts.prototype, drops, () => {});
  const service = await start();
  try {
    const [root] = service.clients as [Client];
    const random = seeded(SEED);
    const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
    const at = (keys: Keys) => clientOf(pick(service.clients).url, keys, root.organizationId);
    const { walletId, addresses } = await newWallet(root, 2);
    const policy = new Right();
    let policyId = '';
    const users: User[] = [];
    for (let i = 0; i < USERS; i++) {
      const created = [{ ...userWith(`user ${i}`, [newKeys()]), userTags: [] }];
      const { userIds } = resultOf(await root.submit('CREATE_USERS_V4', { users: created }), 'createUsersResult');
      users.push({ userId: userIds[0], keys: newKeys(), apiKeyId: '', key: new Right() });
    }
    const moveKey = (user: User) =>
      user.key.move(async () => {
        const { userId, keys } = user;
        const client = at(root.keys);
        if (user.key.isHeld) {
          resultOf(await client.submit('DELETE_API_KEYS', { userId, apiKeyIds: [user.apiKeyId] }), 'deleteApiKeysResult');
          return;
        }
        const apiKeys = [{ apiKeyName: `key ${events}`, publicKey: keys.publicKey, curveType: 'API_KEY_CURVE_P256' }];
        const made = resultOf(await client.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
        user.apiKeyId = made.apiKeyIds[0];
      });
    const movePolicy = () =>
      policy.move(async () => {
        const client = at(root.keys);
        if (policy.isHeld) resultOf(await client.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
        else policyId = await newPolicy(client, { condition: `wallet.id == '${walletId}'`, consensus: 'true' });
      });
    await movePolicy();
    for (const user of users) await moveKey(user);

    const bodies: Body[] = [];
    const counts = { signed: 0, repeated: 0, refused: 0, moved: 0 };

    /** Judges an answer to a body that one of its senders sent. */
    function judge(body: Body, { user, during }: Sent, isNew: boolean, answer: Answer): void {
      const activity = answer.body?.activity;
      const what = `seed ${SEED}: ${answer.status} ${answer.text.slice(0, 300)}`;
      if (activity?.status === 'ACTIVITY_STATUS_COMPLETED') {
        counts[isNew ? 'signed' : 'repeated']++;
        assert.ok(may([user.key], during), `answered to a key that was gone before it asked. ${what}`);
        const allowed = body.sent.some((one) =>
          may([one.user.key, policy], { ...one.during, to: Math.min(one.during.to, during.to) }),
        );
        assert.ok(allowed, `signed, and nobody who sent it had the right. ${what}`);
        const { signRawPayloadResult } = activity.result;
        body.id ??= activity.id;
        body.signature ??= JSON.stringify(signRawPayloadResult);
        assert.deepEqual([activity.id, JSON.stringify(signRawPayloadResult)], [body.id, body.signature], what);
        return;
      }
      counts.refused++;
      assert.ok([200, 401, 403, 503].includes(answer.status), what);
      if (isNew) assert.ok(!surely([user.key, policy], during), `refused, and the right was there all along. ${what}`);
    }

    async function sign(body: Body): Promise<void> {
      const isNew = body.sent.length === 0;
      const sent: Sent = { user: pick(users), during: { from: ++events, to: Infinity } };
      body.sent.push(sent);
      const answer = await at(sent.user.keys).send(PATH, body.text);
      sent.during.to = ++events;
      judge(body, sent, isNew, answer);
    }

    function step(): Promise<void> {
      const kind = random(100);
      if (kind < 12) {
        const rights = [policy, ...users.map(({ key }) => key)].filter(({ isMoving }) => !isMoving);
        const right = rights[random(Math.max(1, rights.length))];
        if (right !== undefined) {
          counts.moved++;
          const user = users.find(({ key }) => key === right);
          return user === undefined ? movePolicy() : moveKey(user);
        }
      }
      if (kind < 45 && bodies.length > 0) return sign(bodies[Math.max(0, bodies.length - 1 - random(20))]!);
      const body: Body = { text: root.bodyOf(TYPE, signing(pick(addresses), `${bodies.length}`.padStart(8, '0'))), sent: [] };
      bodies.push(body);
      return sign(body);
    }

    const inFlight = new Set<Promise<void>>();
    for (let round = 0; round < ROUNDS; round++) {
      const one: Promise<void> = step().finally(() => inFlight.delete(one));
      inFlight.add(one);
      if (inFlight.size >= AT_ONCE) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    for (const [what, count] of Object.entries(counts)) assert.ok(count > ROUNDS / 100, `${what}: ${count}`);
  } finally {
    await service.stop();
  }
});
