import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { type Answer, type Client, type Keys, newKeys, resultOf, userWith } from '../client.ts';
import { freshDatabase } from '../database.ts';
import { type MailServer, startMail } from '../mail.ts';
import type { Providers } from '../oauth2.ts';
import { type Issuer, startIssuer } from '../oidc.ts';
import { type OnRamps, onRampEnv, startOnRamps } from '../on-ramp.ts';
import { type ServiceProcess, startProcess } from '../process.ts';
import { keysIn, type Target } from '../published.ts';
import { RECEIVER } from '../samples.ts';
import { type OpenStream, openStream } from '../streams.ts';
import type { Secret } from './encodings.ts';

export type Sub = { organizationId: string; email: string; userId: string; own: Client; parent: Client };

/** Any client that submits, however it stamps. */
type Submitter = { submit(type: string, parameters: unknown): Promise<Answer> };

/** The real service with every system that it calls, and the texts that must occur nowhere in it. */
export type World = {
  service: ServiceProcess;
  root: Client;
  /** Reads the organization, and sent nothing. */
  reader: Client;
  folder: string;
  databaseUrl: string | undefined;
  /** Where runners of verifiable apps connect. */
  appsSocket: string;
  mail: MailServer;
  /** The code of the next SMS to a number. */
  nextText(to: string): Promise<string>;
  issuer: Issuer;
  providers: Providers;
  ramps: OnRamps;
  secrets: Secret[];
  /** Sealed to a client: the activity that made one has it. */
  bundles: Secret[];
  organizationIds: string[];
  /** What happens, as a stream tells the reader. */
  stream: OpenStream;
  /** Notes a secret; returns it. */
  secret(name: string, text: string): string;
  /** The result of a submit. */
  // biome-ignore lint/suspicious/noExplicitAny: results are looked into freely
  done(client: Submitter, type: string, parameters: unknown, key: string): Promise<any>;
  /** A submit that must be refused: the text of the error is searched too. */
  fails(client: Submitter, type: string, parameters: unknown): Promise<void>;
  errors: string[];
  /** A sub-organization whose root user has an API key and an email address. */
  newSub(): Promise<Sub>;
  /** Opens a credential bundle: the key in it is a secret. */
  opened(name: string, bundle: string, target: Target): Keys;
};

async function started(
  t: TestContext,
  env: Record<string, string>,
): Promise<Pick<World, 'service' | 'folder' | 'databaseUrl' | 'appsSocket'>> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-canary-'));
  const apps = mkdtempSync(join(tmpdir(), 'countersign-apps-'));
  const appsSocket = join(apps, 'runners.sock');
  const database = await freshDatabase();
  const service = await startProcess({
    DATA_DIR: folder,
    LOG_LEVEL: 'debug',
    APPS_SOCKET: appsSocket,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...env,
  });
  t.after(async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    await database?.drop();
    for (const one of [folder, apps]) rmSync(one, { recursive: true, force: true });
  });
  await service.ready();
  return { service, folder, databaseUrl: database?.url, appsSocket };
}

/** The operator's own service that sends SMS, by the webhook. */
async function startTexts(t: TestContext) {
  const messages: { to: string; text: string }[] = [];
  const arrived = new EventEmitter();
  const server = createServer(async (request, response) => {
    messages.push((await json(request)) as { to: string; text: string });
    response.end();
    arrived.emit('sms');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const webhook = { SMS_WEBHOOK_URL: `http://127.0.0.1:${port}/sms`, SMS_WEBHOOK_SECRET: `whsec_${WEBHOOK_SECRET}` };
  const nextText = async (to: string): Promise<string> => {
    for (;;) {
      const at = messages.findIndex((message) => message.to === to);
      if (at >= 0) return /\b[0-9A-Z]{9}\b/.exec(messages.splice(at, 1)[0]!.text)![0];
      await once(arrived, 'sms');
    }
  };
  return { env: { SMS_PROVIDER: 'webhook', ...webhook }, nextText };
}

const WEBHOOK_SECRET = Buffer.alloc(32, 'webhook secret').toString('base64');

/** Starts everything; it ends with the test. */
export async function newWorld(
  t: TestContext,
  { providers, env }: { providers: Providers; env: Record<string, string> },
): Promise<World> {
  const mail = await startMail();
  t.after(() => mail.close());
  const issuer = await startIssuer();
  t.after(() => issuer.close());
  const texts = await startTexts(t);
  const ramps = await startOnRamps();
  t.after(() => ramps.close());
  const OUTBOUND_ALLOW = `${issuer.hostAndPort},${providers.hostAndPort},${ramps.hostAndPort}`;
  const running = await started(t, { ...mail.env, ...texts.env, ...env, ...onRampEnv(ramps), OUTBOUND_ALLOW });
  const root = running.service.root();
  const bundles: Secret[] = [];
  const secrets: Secret[] = [{ name: 'SMS_WEBHOOK_SECRET', text: WEBHOOK_SECRET }];
  const errors: string[] = [];
  const organizationIds = [root.organizationId];
  const note = (answer: Answer): Answer => {
    if (answer.status !== 200) errors.push(answer.text);
    return answer;
  };
  const done: World['done'] = async (client, type, parameters, key) => resultOf(note(await client.submit(type, parameters)), key);
  const secret: World['secret'] = (name, text) => {
    secrets.push({ name, text });
    return text;
  };
  // Events are recorded for it, and are searched too.
  const endpoint = { url: RECEIVER, name: 'Receiver', subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
  await done(root, 'CREATE_WEBHOOK_ENDPOINT', endpoint, 'createWebhookEndpointResult');
  const keys = newKeys();
  await done(root, 'CREATE_USERS_V4', { users: [{ ...userWith('Reader', [keys]), userTags: [] }] }, 'createUsersResult');
  const reader = root.as(keys);
  const stream = await openStream(root.url, reader, { subOrganizations: true });
  t.after(() => stream.close());
  let subs = 0;
  return {
    ...running,
    root,
    reader,
    stream,
    mail,
    nextText: texts.nextText,
    issuer,
    providers,
    ramps,
    secrets,
    bundles,
    errors,
    organizationIds,
    secret,
    done,
    async fails(client, type, parameters) {
      const answer = note(await client.submit(type, parameters));
      if (answer.status === 200) throw new Error(`${type} was not refused: ${answer.text}`);
    },
    async newSub() {
      const own = newKeys();
      const email = `customer${++subs}@example.com`;
      const rootUsers = [{ ...userWith(`Customer ${subs}`, [own]), userEmail: email }];
      const parameters = { subOrganizationName: `Sub ${subs}`, rootQuorumThreshold: 1, rootUsers };
      const made = await done(root, 'CREATE_SUB_ORGANIZATION_V8', parameters, 'createSubOrganizationResultV8');
      const { subOrganizationId: organizationId, rootUserIds } = made;
      organizationIds.push(organizationId);
      return {
        organizationId,
        email,
        userId: rootUserIds[0],
        own: root.as(own, organizationId),
        parent: root.as(root.keys, organizationId),
      };
    },
    opened(name, bundle, target) {
      bundles.push({ name: `${name}: the bundle`, text: bundle });
      const keys = keysIn(bundle, target);
      secret(`${name}: the key in the bundle`, keys.privateKey);
      return keys;
    },
  };
}
