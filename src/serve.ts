import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { isatty } from 'node:tty';
import { announceService } from './app/announce.ts';
import { type App, createApp } from './app/compose.ts';
import { missingConsole } from './app/console/waiting.ts';
import { databaseHint } from './app/database-hint.ts';
import { credentialsFile, parseCredentials } from './app/root-credentials.ts';
import { settle } from './app/settle.ts';
import { elapsedTime, systemClock } from './base/clock.ts';
import { Busy, NoSpace, Outdated } from './base/errors.ts';
import { enrolLink, enrolPage } from './cli/enrol-link.ts';
import { type Config, ConfigError, changedSettings, consoleUrl, onPort, readConfig, withoutSecrets } from './config.ts';
import { urlOf } from './settings/network.ts';

/** The port to listen on; 0 means any free port. Determined before anything is written that contains it. */
async function portOf(prefix: string, { host, port }: { host: string; port: number }): Promise<number> {
  const probe = createServer();
  try {
    await new Promise<void>((done, fail) => probe.once('error', fail).listen({ host, port }, done));
    return (probe.address() as AddressInfo).port;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigError(
        `${prefix}PORT ${port} is in use on ${prefix}HOST ${host}: stop what listens there, or set another ${prefix}PORT`,
      );
    if (code === 'EACCES')
      throw new ConfigError(`${prefix}PORT ${port} cannot be used by the user of this process: set one from 1024 on`);
    throw new ConfigError(`${prefix}HOST ${host} is not an address of this machine: ${message}`);
  } finally {
    probe.close();
  }
}

async function listening(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  // A process that was sealed has served them since then.
  if (!server.listening) await new Promise<void>((done, fail) => server.once('error', fail).listen({ host, port }, done));
  const { address, port: taken } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${taken}/metrics`;
}

/** The service address in the key file, if the file is usable, and of this organization. */
function addressIn(file: string, organization: string): string | undefined {
  try {
    const { baseUrl, organizationId } = parseCredentials(readFileSync(file, 'utf8'), file);
    return organizationId === organization ? baseUrl : undefined;
  } catch {
    return undefined;
  }
}

function wayOfMail({ smtp, devOutboxOffBy: offBy }: Config['messages']): string {
  if (smtp) return `by ${smtp.host}:${smtp.port}`;
  const why = offBy.length === 0 ? '' : `, which npm start does unless ${offBy.join(', ')} is set`;
  return `is not sent, and activities that need it are refused: set SMTP_URL, or DEV_OUTBOX=1 to keep messages at /dev/outbox${why}`;
}

function wayOfMessages({ baseUrl, messages }: Config): string[] {
  if (messages.devOutbox) return [`  outbox        ${baseUrl}/dev/outbox (keeps mail and SMS, and sends none: DEV_OUTBOX)`];
  const { sms } = messages;
  const texts = sms ? [`  SMS           by ${sms.provider === 'twilio' ? 'Twilio' : 'the webhook'}`] : [];
  return [`  mail          ${wayOfMail(messages)}`, ...texts];
}

/** Output alone may be a terminal that a supervisor keeps as a log. */
const isOnTerminal = (): boolean => isatty(0) && isatty(1);

/**
 * Lines with a link that adds a passkey to the root user. Only the first start has them, and only on a terminal: the first reader
 * of the link becomes the root user.
 */
async function firstSignIn(config: Config, { first, log }: App, address: string): Promise<string[]> {
  if (!first.created || config.rootUserKey !== undefined || !config.console.isOn || !isOnTerminal()) return [];
  const file = credentialsFile(config);
  try {
    const root = {
      ...parseCredentials(readFileSync(file, 'utf8'), file),
      curve: 'API_KEY_CURVE_P256' as const,
      baseUrl: address,
    };
    const made = await enrolLink(root, enrolPage(consoleUrl(config)), systemClock.now());
    if ('reply' in made) throw new Error(`status ${made.reply.status}`);
    return [`  first sign-in ${made.link}`, '                (once, within 15 minutes; ./countersign console makes another)'];
  } catch (error) {
    log.warn(
      { reason: (error as Error).message },
      'the link for the first sign-in was not made: ./countersign console makes one',
    );
    return [];
  }
}

/** Warns of passkeys that cannot be used, beside the first requests. */
function warnOfPasskeys({ strandedPasskeys, log }: App, { baseUrl }: Config): void {
  strandedPasskeys().then(
    (count) => {
      const host = new URL(baseUrl).hostname;
      if (count > 0) log.warn({ count, host }, 'passkeys of another domain cannot be used here: see countersign doctor');
    },
    (error: Error) => log.warn({ reason: error.message }, 'the passkeys of other domains were not counted'),
  );
}

type Addresses = { authProxy: string | undefined; frames: string | undefined };

function welcome(config: Config, app: App, { authProxy, frames }: Addresses, signIn: readonly string[]): string {
  const file = credentialsFile(config);
  const { baseUrl, dataDir } = config;
  const { created, organizationId } = app.first;
  const known = addressIn(file, organizationId);
  const lines = [
    '',
    `  Countersign runs on ${baseUrl}`,
    '',
    `  organization  ${organizationId}`,
    ...(known === undefined ? [] : [`  key file      ${file}`]),
    ...(config.console.isOn ? [`  console       ${consoleUrl(config)}${missingConsole()}`] : []),
    `  operations    ${baseUrl}/docs`,
    `  readiness     ${baseUrl}/ready`,
    ...(authProxy === undefined ? [] : [`  auth proxy    ${urlOf(config.authProxy!.host, Number(new URL(authProxy).port))}`]),
    ...(frames === undefined
      ? []
      : [`  frames        ${config.frames.url ?? urlOf(config.frames.at!.host, Number(new URL(frames).port))}/frames/`]),
    ...wayOfMessages(config),
    ...signIn,
    '',
  ];
  const ownKey = created && config.rootUserKey !== undefined;
  if (known === undefined && !ownKey) return [...lines, ''].join('\n');
  const hint = ownKey
    ? `./countersign --credentials NAME.credentials.json --organization ${organizationId} --url ${baseUrl} query whoami`
    : `DATA_DIR='${dataDir}' ./countersign ${known === baseUrl ? '' : `--url ${baseUrl} `}query whoami`;
  return [...lines, '  Try a first request, from another terminal:', '', `    ${hint}`, '', ''].join('\n');
}

/** How often the service checks whether npm still runs. */
const PARENT_MS = 250;
const NPM_ENDED = 'the end of npm';

/** On SIGTERM or SIGINT. `stop` gets the reason. */
function onSignals(stop: (reason: string) => void): void {
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // npm gives a SIGTERM to the shell between, and some shells end without passing it on.
  const [, parent] = /^--parent=(\d+)$/.exec(process.argv[2] ?? '') ?? [];
  if (parent !== undefined)
    setInterval(() => {
      if (process.ppid !== Number(parent)) stop(NPM_ENDED);
    }, PARENT_MS).unref();
}

/** Stops the service after pending requests are answered. One that is sealed has none, and ends at once. */
function stopper(app: () => App | undefined): (reason: string) => void {
  let stopping: number | undefined;
  return (reason) => {
    const running = app();
    if (running === undefined) process.exit(0);
    if (stopping !== undefined && reason === NPM_ENDED) return;
    // A terminal's Ctrl-C arrives twice at the same time, from the terminal and from npm. A later signal is an impatient user.
    if (stopping !== undefined && elapsedTime.now() - stopping > 1000) process.exit(1);
    if (stopping !== undefined) return;
    stopping = elapsedTime.now();
    running.log.info({ signal: reason }, 'stopping');
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
}

/** For the log: whether the bundle or the sources run. `notBundle`: why an existing bundle must not run. */
export type Runs = { runs: 'bundle' | 'sources'; notBundle?: string };

async function serve({ runs, notBundle }: Runs): Promise<void> {
  // Before umask: other users' commands read this file.
  const announceListening = announceService();
  process.umask(0o077);
  const read = readConfig();
  const config = onPort(read, await portOf('', read));
  if (config.metrics) await portOf('METRICS_', config.metrics);
  if (config.authProxy) await portOf('AUTH_PROXY_', config.authProxy);
  if (config.frames.at) await portOf('FRAMES_', config.frames.at);
  if (config.console.at) await portOf('CONSOLE_', config.console.at);
  let running: App | undefined;
  const stop = stopper(() => running);
  const isSealed = config.rootKey.provider === 'shares';
  if (isSealed) onSignals(stop);
  const app = await createApp(config);
  running = app;
  // Before it listens: clients may see that it is ready while it opens its second address.
  if (!isSealed) onSignals(stop);
  const address = await app.http.listen({ host: config.host, port: config.port });
  const authProxy = await app.authProxy?.listen(config.authProxy!);
  const frames = await app.frames?.listen(config.frames.at!);
  const consoleAddress = await app.console?.listen(config.console.at!);
  const metrics = app.metrics && (await listening(app.metrics, config.metrics!));
  announceListening();
  settle();
  const { created } = app.first;
  app.log.debug(withoutSecrets(config), 'effective settings');
  app.log.info(
    { address, authProxy, frames, console: consoleAddress, metrics, runs, settings: changedSettings(config), created },
    'listening',
  );
  if (notBundle !== undefined)
    app.log.warn({ reason: notBundle }, 'the service runs from its sources: its bundle is not to be run');
  // Standard output may be a file on a full disk, or a pipe without a reader.
  process.stdout.on('error', () => {});
  process.stdout.write(welcome(config, app, { authProxy, frames }, await firstSignIn(config, app, address)));
  warnOfPasskeys(app, config);
}

function explained(error: Error): string {
  if (error instanceof ConfigError) return `configuration: ${error.message}`;
  if (error instanceof NoSpace) return `could not start: ${error.message}: make room, and start again`;
  if (!(error instanceof Busy) || error instanceof Outdated) return `could not start: ${error.message}${databaseHint(error)}`;
  const { message, code = '' } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code.startsWith('SQLITE')) return `could not start: ${error.message}: ${message} (${code})${databaseHint(error)}`;
  // An SQLSTATE comes from a server that did answer.
  if (/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return `could not start: PostgreSQL says: ${message} (${code})${databaseHint(error)}`;
  return `could not start: PostgreSQL does not answer: ${message || code}. Check DATABASE_URL.`;
}

/** Starts the service. A failed start says why and ends the process. */
export async function run(runs: Runs): Promise<void> {
  try {
    await serve(runs);
  } catch (error) {
    process.stderr.write(`${explained(error as Error)}\n`);
    process.exit(1);
  }
}
