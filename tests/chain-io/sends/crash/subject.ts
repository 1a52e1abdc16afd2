/** The real service as the subject of schedules: a process on a database of its own, which fail-points end. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { paymasterAddresses } from '../../../../src/app/service-keys.ts';
import { NEVER } from '../../../../src/model/send.ts';
import { type Answer, type Client, ethereumAccount, resultOf, submitPath } from '../../../support/client.ts';
import { rawSql } from '../../../support/database.ts';
import type { Armed } from '../../../support/fail-points.ts';
import { type ServiceProcess, startProcess } from '../../../support/process.ts';
import { waitFor } from '../../../support/wait.ts';
import { type Mark, type Order, REFUSED, type Status } from './model.ts';
import type { Answered, Request, Stored, Subject } from './run.ts';
import { transferOf } from './solana-message.ts';

const FAIL_POINTS = fileURLToPath(new URL('../../../support/fail-points.ts', import.meta.url));

/** A process that lives may hold the same rows in another order: PostgreSQL then ends one of the two. */
async function unlessDeadlocked<T>(run: () => Promise<T>, left = 10): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (left === 0 || (error as { code?: string }).code !== '40P01') throw error;
    return unlessDeadlocked(run, left - 1);
  }
}

export const CAIP2 = 'eip155:31337';
const GAS = 300_000n;
const GWEI = 10n ** 9n;

export type ServiceSubject = Subject & {
  folder: string;
  databaseUrl: string | undefined;
  /** From now on it sponsors sends. Returns the paying account, which needs coins. */
  sponsors(): Promise<string>;
  client(): Client;
  /** Live processes; two of them take turns. */
  processes(): readonly ServiceProcess[];
  /** Stops the process at its next fail-point; resolves when it has stopped. Others answer meanwhile. */
  standStill(point: string): Promise<ServiceProcess>;
  goOn(still: ServiceProcess): void;
  /** The output of all processes. */
  output(): string;
  /** The rows of these sends and their account, to look for a fault. */
  rowsOf(sendIds: readonly string[]): Promise<string[]>;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
};

/** `two`: two processes of one database. When one dies, the other takes over, and every second time a new one takes its place. */
type Settings = { databaseUrl?: string | undefined; env: Record<string, string>; two?: boolean };

const SEND_COLUMNS = 'id, account, state, nonce, message_nonce, hash, block_number, error, wish, updated_at, due_at, version';
const ATTEMPT_COLUMNS = 'number, purpose, nonce, hash, fees, may_be_sent, said, last_valid_block_height, created_at';

const activityOf = (answer: Answer) => answer.body?.activity;

const solanaAccount = (index: number) => ({
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: `m/44'/501'/0'/${index}'`,
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
});

export async function startSubject({ databaseUrl, env, two = false }: Settings): Promise<ServiceSubject> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sends-'));
  const file = join(folder, 'fail-point');
  const at = { folder, url: databaseUrl };
  const own = new Map<string, PrivateKeyAccount>();
  const settings = {
    DATA_DIR: folder,
    LIMIT_WALLETS: '100000',
    FAIL_POINT_FILE: file,
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    ...env,
  };
  const all: ServiceProcess[] = [];
  let wallets = 0;
  let starts = 0;
  let living: ServiceProcess[] = [];
  let turns = 0;

  const isAlive = ({ child }: ServiceProcess) => child.exitCode === null && child.signalCode === null;

  /** The process whose turn it is. */
  function turn(): ServiceProcess | undefined {
    turns += 1;
    return living[turns % living.length];
  }
  const client = () => turn()!.root();

  /** No process need live for it. */
  const written = (type: string, parameters: object) => all[0]!.root().bodyOf(type, parameters);

  /** A request without an answer when the process ends gets none; nor does one that has to be sent again. */
  async function asked(ask: (client: Client) => Promise<Answer>): Promise<Answer | 'cut off'> {
    const service = turn();
    const sent = service && isAlive(service) ? ask(service.root()).catch(() => undefined) : undefined;
    const answer = await (sent && Promise.race([sent, service!.exited.then(() => undefined)]));
    if (answer !== undefined && answer.status !== 503) return answer;
    // An immediate retry would leave no turn to the code that starts the next process.
    await sleep(5);
    return 'cut off';
  }

  const armAs = (armed: Armed | undefined) => writeFileSync(file, armed ? JSON.stringify(armed) : '');
  const arm: Subject['arm'] = (crash) => armAs(crash && { ...crash, signal: 'SIGKILL' });

  async function standStill(point: string): Promise<ServiceProcess> {
    // One that was killed left it too.
    rmSync(`${file}.met`, { force: true });
    armAs({ point, nth: 1, signal: 'SIGSTOP' });
    await waitFor(`a process stands still ${point}`, () => existsSync(`${file}.met`));
    armAs(undefined);
    const pid = Number(readFileSync(`${file}.met`, 'utf8'));
    rmSync(`${file}.met`);
    const still = living.find(({ child }) => child.pid === pid)!;
    living = living.filter((each) => each !== still);
    return still;
  }

  function goOn(still: ServiceProcess): void {
    still.child.kill('SIGCONT');
    living.push(still);
  }

  async function start(): Promise<void> {
    // Two may have met the same fail-point. The exit of the second may not be known yet, but it does not answer.
    const answering = await Promise.all(
      living.map(
        async (one) =>
          isAlive(one) &&
          (await one.ready().then(
            () => true,
            () => false,
          )),
      ),
    );
    living = living.filter((_, i) => answering[i]);
    // Leases and next looks depend on time. The test does not wait for it.
    if (all.length > 0) {
      // An account with nothing due stays so: finding its work is the service's part.
      const due = `due_at = CASE WHEN due_at = ${NEVER} THEN due_at ELSE 0 END`;
      const mine = databaseUrl ? `owner = '', lease_until = 0, ${due} WHERE owner <> ''` : due;
      await unlessDeadlocked(() => rawSql(at, `UPDATE send_accounts SET ${mine}`, []));
      await unlessDeadlocked(() => rawSql(at, `UPDATE sends SET ${due} WHERE state = 'sent'`, []));
    }
    starts += 1;
    if (two && living.length > 0 && starts % 2 === 0) return;
    while (living.length < (two ? 2 : 1)) {
      const service = await startProcess(settings, FAIL_POINTS);
      all.push(service);
      await service.ready();
      living.push(service);
    }
  }

  /** A transaction that its sender signs, and the service only sends. */
  async function signed({ nonce }: Order, from: string, [mark]: readonly Mark[]): Promise<Hex> {
    const fees = { gas: GAS, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI };
    return own
      .get(from)!
      .signTransaction({ type: 'eip1559', chainId: 31337, nonce: nonce!, ...(mark as Mark & { to: Hex }), ...fees });
  }

  async function parametersOf(order: Order, from: string, marks: readonly Mark[]): Promise<[string, object]> {
    if (order.kind === 'raw')
      return ['ETH_SEND_RAW_TRANSACTION', { signedTransaction: await signed(order, from, marks), caip2: CAIP2 }];
    if (order.kind === 'solana')
      return [
        'SOL_SEND_TRANSACTION',
        { unsignedTransaction: transferOf(from, marks[0]!), signWith: from, caip2: 'solana:devnet' },
      ];
    const calls = marks.map(({ to, value, data }) => ({ to, value: String(value), data }));
    if (order.kind === 'batch') return ['ETH_SEND_TRANSACTION_V2', { from, caip2: CAIP2, calls }];
    const more = {
      ...(order.nonce === undefined ? {} : { nonce: String(order.nonce) }),
      ...(order.kind === 'sponsored' ? { sponsor: true } : {}),
      // Without a limit, its gas would be estimated, and it would not be sent.
      ...(order.kind === 'reverts' ? { gasLimit: String(GAS) } : {}),
    };
    return ['ETH_SEND_TRANSACTION', { from, caip2: CAIP2, ...calls[0]!, ...more }];
  }

  async function send({ path, body }: Request): Promise<Answered> {
    const answer = await asked((of) => of.send(path, body));
    if (answer === 'cut off') return answer;
    const { id: activityId, status, result, failure } = activityOf(answer) ?? {};
    if (answer.status !== 200 || status !== 'ACTIVITY_STATUS_COMPLETED')
      return { refused: `${answer.status} ${JSON.stringify(failure ?? answer.text)}` };
    const given = (result.ethSendTransactionResult ?? result.solSendTransactionResult)?.sendTransactionStatusId;
    if (given !== undefined) return { ack: { activityId, sendId: given } };
    const [row] = await rawSql(at, 'SELECT id FROM sends WHERE activity_id = $1', [activityId]);
    return { ack: { activityId, sendId: String(row?.id) } };
  }

  const subject: ServiceSubject = {
    folder,
    databaseUrl,
    async sponsors() {
      const limits = { orgWindowLimitUsd: '1000000.00', subOrgWindowLimitUsd: '1000000.00', windowDurationMinutes: '1440' };
      resultOf(
        await client().submit('UPSERT_GAS_USAGE_CONFIG', {
          ...limits,
          enabled: true,
          solanaConfig: { rentPrefundEnabled: false },
        }),
        'upsertGasUsageConfigResult',
      );
      const rows = await rawSql(at, "SELECT name, public_key FROM service_keys WHERE name LIKE 'paymaster%'", []);
      const keys = rows.map((row) => ({
        name: String(row.name),
        publicKey: String(row.public_key),
      }));
      subject.paymaster = paymasterAddresses(keys as never).eip155;
      return subject.paymaster;
    },
    client,
    standStill,
    goOn,
    processes: () => living,
    output: () => all.map((each) => each.output()).join('\n'),
    async rowsOf(sendIds) {
      const now = Date.now();
      const told: string[] = [];
      for (const id of sendIds) {
        const sends = await rawSql(at, `SELECT ${SEND_COLUMNS} FROM sends WHERE id = $1`, [id]);
        const attempts = await rawSql(at, `SELECT ${ATTEMPT_COLUMNS} FROM send_attempts WHERE send_id = $1`, [id]);
        const lanes = await rawSql(at, 'SELECT * FROM send_accounts WHERE account = $1', [sends[0]?.account]);
        for (const row of [...sends, ...attempts, ...lanes]) told.push(`${JSON.stringify(row)} at ${now}`);
      }
      return told;
    },
    async accounts(count, network) {
      wallets += 1;
      const accounts = Array.from({ length: count - 1 }, (_, i) => (network === 'evm' ? ethereumAccount(i) : solanaAccount(i)));
      const made = await client().submit('CREATE_WALLET', { walletName: `Sends ${wallets}`, accounts });
      if (network === 'solana') return resultOf(made, 'createWalletResult').addresses;
      const key = privateKeyToAccount(generatePrivateKey());
      const addresses = [...resultOf(made, 'createWalletResult').addresses, key.address] as Hex[];
      const lower = addresses.map((address) => address.toLowerCase() as Hex);
      own.set(lower.at(-1)!, key);
      return lower;
    },
    async requestOf(order, from, marks) {
      const [type, parameters] = await parametersOf(order, from, marks);
      return { path: submitPath(type), body: written(type, parameters) };
    },
    send,
    changeOf(what, sendTransactionStatusId) {
      const type = what === 'cancel' ? 'COUNTERSIGN_CANCEL_SEND' : 'COUNTERSIGN_SPEED_UP_SEND';
      return { path: submitPath(type), body: written(type, { sendTransactionStatusId, reason: 'a schedule says so' }) };
    },
    async change({ path, body }) {
      const answer = await asked((of) => of.send(path, body));
      if (answer === 'cut off') return answer;
      if (answer.status !== 200 && answer.status !== 400)
        throw new Error(`a change was answered ${answer.status} ${answer.text}`);
      return activityOf(answer)?.id ?? REFUSED;
    },
    async look(sendTransactionStatusId) {
      const answer = await asked((of) => of.query('get_send_transaction_status', { sendTransactionStatusId }));
      if (answer === 'cut off') return answer;
      if (answer.status !== 200) throw new Error(`no status: ${answer.status} ${answer.text}`);
      const { txStatus, eth, solana, txError } = answer.body;
      return { status: txStatus as Status, hash: eth?.txHash ?? solana?.signature ?? '', error: txError ?? '' };
    },
    async stored(): Promise<Stored[]> {
      const rows = await rawSql(at, 'SELECT id, activity_id, intent FROM sends', []);
      return rows.map(({ id, activity_id, intent }) => {
        // Solana's transactions are in base64.
        const { transaction = '' } = JSON.parse(String(intent)) as { transaction?: string };
        const bytes = Buffer.from(transaction, 'base64').toString('hex');
        return { sendId: String(id), activityId: String(activity_id), intent: `${String(intent).toLowerCase()} ${bytes}` };
      });
    },
    arm,
    start,
    kill: () => living[turns % living.length]!.child.kill('SIGKILL'),
    dead: () =>
      Promise.race(
        living.map(async ({ exited, child }) => {
          await exited;
          return child.signalCode === 'SIGKILL';
        }),
      ),
    async stop() {
      for (const { child } of all) child.kill('SIGKILL');
      await Promise.all(all.map(({ exited }) => exited));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  arm(undefined);
  await start();
  return subject;
}
