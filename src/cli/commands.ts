import { readFileSync } from 'node:fs';
import { ACTIVITIES_HELP } from './activities-help.ts';
import { APPS_HELP } from './apps-help.ts';
import { BACKUP_HELP, RESTORE_HELP } from './backup-help.ts';
import { CHAIN_HELP } from './chain-help.ts';
import { type Reply, readCredentials, stampBody, UsageError } from './client.ts';
import { CONFIG_HELP, QUERY_HELP, STAMP_HELP, START_HELP, SUBMIT_HELP, WHY_HELP } from './client-help.ts';
import { configOf, showConfig } from './config.ts';
import { CUSTODY_HELP } from './custody-help.ts';
import { DOCTOR_HELP } from './doctor-help.ts';
import { EXPORT_HELP, VERIFY_HELP } from './export-help.ts';
import { ARCHIVE_HELP, CLOCK_HELP, IP_ALLOWLIST_HELP, OUTBOX_HELP, POLICY_HELP, TEMPLATES_HELP } from './help.ts';
import { INSTANCE_HELP } from './instance-help.ts';
import { KEYGEN_HELP, keygen } from './keygen.ts';
import type { Values } from './options.ts';
import { printable } from './printable.ts';
import { QUOTA_HELP } from './quota-help.ts';
import { RECOVER_ROOT_HELP } from './recover-root-help.ts';
import { RUNNER_HELP } from './runner-help.ts';
import { SENDS_HELP } from './sends-help.ts';
import { VELOCITY_HELP } from './velocity-help.ts';
import { WEBHOOKS_HELP } from './webhooks-help.ts';

/** A command loads its modules when it runs. The policy language and the store take longer to load than most commands run. */
type Command = {
  readonly help: string;
  /** The most arguments. More are an error, since ignoring them would hide a mistake. */
  readonly takes?: number;
  /** Without its first argument it prints its help. */
  readonly needsAction?: true;
  /** Returns the exit code, or undefined if the service keeps running. */
  run(rest: readonly string[], values: Values): Promise<number | undefined>;
};

function print({ text, code = 0 }: { text: string; code?: number }): number {
  process.stdout.write(text);
  return code;
}

function show(reply: Reply): number {
  let text = reply.text;
  try {
    text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  for (const warning of reply.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  if (reply.ignored.length > 0) process.stderr.write(`ignored unknown fields: ${reply.ignored.join(', ')}\n`);
  (reply.status < 400 ? process.stdout : process.stderr).write(`${text}\n`);
  return reply.status < 400 ? 0 : 1;
}

const commands: Readonly<Record<string, Command>> = {
  start: {
    help: START_HELP,
    takes: 0,
    async run() {
      await import('../main.ts');
      return undefined;
    },
  },
  config: {
    help: CONFIG_HELP,
    takes: 0,
    run: async (_, { json }) => print({ text: `${showConfig(json)}\n` }),
  },
  doctor: {
    help: DOCTOR_HELP,
    takes: 0,
    async run(_, { json }) {
      const { doctor } = await import('./doctor.ts');
      return print(await doctor(Date.now(), json));
    },
  },
  submit: {
    help: SUBMIT_HELP,
    takes: 2,
    async run([operation, parameters], values) {
      const { submit } = await import('./operations.ts');
      return show(await submit(operation, parameters, Date.now(), values));
    },
  },
  query: {
    help: QUERY_HELP,
    takes: 2,
    async run([operation, parameters], values) {
      const { query } = await import('./operations.ts');
      return show(await query(operation, parameters, values));
    },
  },
  stamp: {
    help: STAMP_HELP,
    takes: 1,
    run: async ([body], { credentials }) =>
      print({ text: `${stampBody(readCredentials(configOf(), credentials), body ?? readFileSync(0, 'utf8'))}\n` }),
  },
  why: {
    help: WHY_HELP,
    takes: 1,
    async run([activityId], values) {
      if (activityId === undefined) throw new UsageError('name an activity: countersign why ACTIVITY_ID');
      const { why, whyText } = await import('./why.ts');
      const answer = await why(activityId, values);
      if ('reply' in answer) return show(answer.reply);
      return print({ text: values.json ? `${JSON.stringify(answer.told, null, 2)}\n` : whyText(answer.told) });
    },
  },
  policy: {
    help: POLICY_HELP,
    needsAction: true,
    async run(rest, { json, strict }) {
      const { policyCommand } = await import('./policy/index.ts');
      return print(await policyCommand(rest, Date.now(), json, strict));
    },
  },
  clock: {
    help: CLOCK_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { clockCommand } = await import('./clock.ts');
      return print({ text: await clockCommand(rest, Date.now(), values) });
    },
  },
  keygen: {
    help: KEYGEN_HELP,
    takes: 1,
    needsAction: true,
    async run([name], values) {
      const { text, note } = keygen(name!, values);
      process.stderr.write(note);
      return print({ text });
    },
  },
  archive: {
    help: ARCHIVE_HELP,
    takes: 0,
    async run(_, values) {
      const { archiveCommand } = await import('./archive.ts');
      return print(await archiveCommand(values, Date.now()));
    },
  },
  backup: {
    help: BACKUP_HELP,
    takes: 0,
    async run(_, values) {
      const { backupCommand } = await import('./backup.ts');
      return print(await backupCommand(Date.now, values));
    },
  },
  restore: {
    help: RESTORE_HELP,
    takes: 0,
    async run(_, values) {
      const { restoreCommand } = await import('./restore.ts');
      return print(await restoreCommand(Date.now(), values));
    },
  },
  'ip-allowlist': {
    help: IP_ALLOWLIST_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { ipAllowlistCommand } = await import('./ip-allowlist.ts');
      return print({ text: await ipAllowlistCommand(rest, Date.now(), values) });
    },
  },
  'recover-root': {
    help: RECOVER_ROOT_HELP,
    takes: 1,
    async run(rest, values) {
      const { recoverRootCommand } = await import('./recover-root.ts');
      return print({ text: await recoverRootCommand(rest, Date.now(), values) });
    },
  },
  templates: {
    help: TEMPLATES_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { templatesCommand } = await import('./templates.ts');
      return print({ text: await templatesCommand(rest, Date.now(), values) });
    },
  },
  quota: {
    help: QUOTA_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { quotaCommand } = await import('./quota.ts');
      return print({ text: await quotaCommand(rest, Date.now(), values) });
    },
  },
  custody: {
    help: CUSTODY_HELP,
    needsAction: true,
    async run(rest, values) {
      const { custodyCommand } = await import('./custody.ts');
      return print(await custodyCommand(rest, Date.now(), values, (text) => void process.stderr.write(`${text}\n`)));
    },
  },
  outbox: {
    help: OUTBOX_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { outboxCommand } = await import('./outbox.ts');
      return print({ text: await outboxCommand(rest, Date.now(), values) });
    },
  },
  sends: {
    help: SENDS_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      if (rest[0] === 'release') {
        if (rest.length > 1) throw new UsageError('countersign sends release takes no argument: see countersign sends --help');
        const { releaseCommand } = await import('./release.ts');
        return print(await releaseCommand(values));
      }
      const { sendsCommand } = await import('./sends.ts');
      const told = await sendsCommand(rest, Date.now, values);
      return 'reply' in told ? show(told.reply) : print(told);
    },
  },
  instance: {
    help: INSTANCE_HELP,
    takes: 1,
    needsAction: true,
    async run([action], values) {
      if (action !== 'adopt') throw new UsageError(`there is no "instance ${action}": see countersign instance --help`);
      const { adoptCommand } = await import('./release.ts');
      return print(await adoptCommand(values));
    },
  },
  velocity: {
    help: VELOCITY_HELP,
    needsAction: true,
    async run(rest, values) {
      const { velocityCommand } = await import('./velocity.ts');
      const told = await velocityCommand(rest, values);
      return 'reply' in told ? show(told.reply) : print(told);
    },
  },
  webhooks: {
    help: WEBHOOKS_HELP,
    needsAction: true,
    async run(rest, values) {
      const { webhooksCommand } = await import('./webhooks.ts');
      const told = await webhooksCommand(rest, Date.now, values);
      return 'reply' in told ? show(told.reply) : print(told);
    },
  },
  activities: {
    help: ACTIVITIES_HELP,
    needsAction: true,
    async run(rest, values) {
      const { activitiesCommand } = await import('./activities.ts');
      const stop = new AbortController();
      const stopOnce = () => stop.abort();
      process.once('SIGINT', stopOnce);
      try {
        const told = await activitiesCommand(rest, values, {
          print: (text) => process.stdout.write(text),
          complain: (text) => process.stderr.write(text),
          stopped: stop.signal,
        });
        return 'reply' in told ? show(told.reply) : told.code;
      } finally {
        process.off('SIGINT', stopOnce);
      }
    },
  },
  export: {
    help: EXPORT_HELP,
    takes: 0,
    async run(_, values) {
      const { exportCommand } = await import('./export.ts');
      return print(await exportCommand(Date.now, values));
    },
  },
  verify: {
    help: VERIFY_HELP,
    takes: 1,
    async run([file], values) {
      const { verifyCommand } = await import('./verify.ts');
      return verifyCommand(file, values, (text) => process.stdout.write(text));
    },
  },
  apps: {
    help: APPS_HELP,
    needsAction: true,
    async run(rest, values) {
      const { appsCommand } = await import('./apps.ts');
      const told = await appsCommand(rest, Date.now, values);
      return 'reply' in told ? show(told.reply) : print(told);
    },
  },
  runner: {
    help: RUNNER_HELP,
    takes: 0,
    async run() {
      const { runRunner } = await import('../runner.ts');
      await runRunner();
      return 0;
    },
  },
  chain: {
    help: CHAIN_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { chainCommand } = await import('./chain.ts');
      return print(await chainCommand(rest, values));
    },
  },
};

export const commandNames: readonly string[] = Object.keys(commands);

export const commandNamed = (name: string): Command | undefined => (Object.hasOwn(commands, name) ? commands[name] : undefined);
