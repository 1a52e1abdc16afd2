import { readFileSync } from 'node:fs';
import { ACTIVITIES_HELP } from './activities-help.ts';
import { APPROVALS_HELP } from './approvals-help.ts';
import { APPS_HELP } from './apps-help.ts';
import { BACKUP_HELP, RESTORE_HELP } from './backup-help.ts';
import { CHAIN_HELP } from './chain-help.ts';
import { readCredentials, stampBody, UsageError } from './client.ts';
import {
  COMPLETION_HELP,
  CONFIG_HELP,
  OPERATIONS_HELP,
  PROFILE_HELP,
  QUERY_HELP,
  STAMP_HELP,
  START_HELP,
  SUBMIT_HELP,
  WHY_HELP,
} from './client-help.ts';
import { configOf, showConfig } from './config.ts';
import { CONSOLE_HELP } from './console-help.ts';
import { CUSTODY_HELP } from './custody-help.ts';
import { DOCTOR_HELP } from './doctor-help.ts';
import { EXPORT_HELP, VERIFY_HELP } from './export-help.ts';
import { FREEZE_HELP, UNFREEZE_HELP } from './freeze-help.ts';
import { ARCHIVE_HELP, CLOCK_HELP, IP_ALLOWLIST_HELP, OUTBOX_HELP, POLICY_HELP, TEMPLATES_HELP } from './help.ts';
import { INSTANCE_HELP } from './instance-help.ts';
import { KEYGEN_HELP, keygen } from './keygen.ts';
import type { Values } from './options.ts';
import { APPLY_HELP, PLAN_HELP } from './plan-help.ts';
import { QUOTA_HELP } from './quota-help.ts';
import { RECOVER_ROOT_HELP } from './recover-root-help.ts';
import { RUNNER_HELP } from './runner-help.ts';
import { SENDS_HELP } from './sends-help.ts';
import { type Outcome, writer } from './tell.ts';
import { VELOCITY_HELP } from './velocity-help.ts';
import { WEBHOOKS_HELP } from './webhooks-help.ts';

/** A command loads its modules when it runs. The policy language and the store take longer to load than most commands run. */
type Command = {
  readonly help: string;
  /** The most arguments. More are an error, since ignoring them would hide a mistake. */
  readonly takes?: number;
  /** Without its first argument it prints its help. */
  readonly needsAction?: true;
  /** The help of an operation that its first argument names. */
  operationHelp?(name: string): Promise<string>;
  run(rest: readonly string[], values: Values): Promise<Outcome>;
};

async function helpOfOperation(command: 'submit' | 'query', name: string): Promise<string> {
  const { requireOperation } = await import('./operations.ts');
  requireOperation(command, name);
  const { operationHelp } = await import('./operation-help.ts');
  return operationHelp(command, name);
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
    run: async (_, { json }) => ({ text: `${showConfig(json)}\n` }),
  },
  doctor: {
    help: DOCTOR_HELP,
    takes: 0,
    async run(_, { json }) {
      const { doctor } = await import('./doctor.ts');
      return doctor(Date.now(), json);
    },
  },
  console: {
    help: CONSOLE_HELP,
    takes: 1,
    async run(rest, values) {
      const { consoleCommand } = await import('./console.ts');
      return consoleCommand(rest, Date.now(), values);
    },
  },
  submit: {
    help: SUBMIT_HELP,
    operationHelp: (name) => helpOfOperation('submit', name),
    takes: 2,
    async run([operation, parameters], values) {
      const { submit } = await import('./operations.ts');
      return { reply: await submit(operation, parameters, Date.now(), values) };
    },
  },
  query: {
    help: QUERY_HELP,
    operationHelp: (name) => helpOfOperation('query', name),
    takes: 2,
    async run([operation, parameters], values) {
      const { query } = await import('./operations.ts');
      return { reply: await query(operation, parameters, values) };
    },
  },
  operations: {
    help: OPERATIONS_HELP,
    takes: 1,
    async run([word], { json }) {
      const { operationsCommand } = await import('./operation-help.ts');
      return operationsCommand(word, json);
    },
  },
  completion: {
    help: COMPLETION_HELP,
    takes: 1,
    needsAction: true,
    async run([shell]) {
      const { completionCommand } = await import('./completion.ts');
      return completionCommand(shell!, helps());
    },
  },
  profile: {
    help: PROFILE_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { profileCommand } = await import('./profiles.ts');
      return profileCommand(rest, values);
    },
  },
  stamp: {
    help: STAMP_HELP,
    takes: 1,
    run: async ([body], values) => ({
      text: `${stampBody(readCredentials(configOf(), values), body ?? readFileSync(0, 'utf8'))}\n`,
    }),
  },
  why: {
    help: WHY_HELP,
    takes: 1,
    async run([activityId], values) {
      if (activityId === undefined) throw new UsageError('name an activity: countersign why ACTIVITY_ID');
      const { why, whyText } = await import('./why.ts');
      const answer = await why(activityId, values);
      if ('reply' in answer) return answer;
      return { text: values.json ? `${JSON.stringify(answer.told, null, 2)}\n` : whyText(answer.told) };
    },
  },
  approvals: {
    help: APPROVALS_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { approvalsCommand } = await import('./approvals/index.ts');
      return approvalsCommand(rest, Date.now, values);
    },
  },
  policy: {
    help: POLICY_HELP,
    needsAction: true,
    async run(rest, { json, strict }) {
      const { policyCommand } = await import('./policy/index.ts');
      return policyCommand(rest, Date.now(), json, strict);
    },
  },
  plan: {
    help: PLAN_HELP,
    takes: 1,
    needsAction: true,
    async run([folder], values) {
      const { planCommand } = await import('./plan/index.ts');
      return planCommand(folder, values);
    },
  },
  apply: {
    help: APPLY_HELP,
    takes: 1,
    needsAction: true,
    async run([folder], values) {
      const { applyCommand } = await import('./plan/index.ts');
      return applyCommand(folder, values);
    },
  },
  clock: {
    help: CLOCK_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { clockCommand } = await import('./clock.ts');
      return { text: await clockCommand(rest, Date.now(), values) };
    },
  },
  keygen: {
    help: KEYGEN_HELP,
    takes: 1,
    needsAction: true,
    run: async ([name], values) => keygen(name!, values),
  },
  archive: {
    help: ARCHIVE_HELP,
    takes: 0,
    async run(_, values) {
      const { archiveCommand } = await import('./archive.ts');
      return archiveCommand(values, Date.now());
    },
  },
  backup: {
    help: BACKUP_HELP,
    takes: 0,
    async run(_, values) {
      const { backupCommand } = await import('./backup.ts');
      return backupCommand(Date.now, values);
    },
  },
  restore: {
    help: RESTORE_HELP,
    takes: 0,
    async run(_, values) {
      const { restoreCommand } = await import('./restore.ts');
      return restoreCommand(Date.now(), values);
    },
  },
  'ip-allowlist': {
    help: IP_ALLOWLIST_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { ipAllowlistCommand } = await import('./ip-allowlist.ts');
      return { text: await ipAllowlistCommand(rest, Date.now(), values) };
    },
  },
  'recover-root': {
    help: RECOVER_ROOT_HELP,
    takes: 1,
    async run(rest, values) {
      const { recoverRootCommand } = await import('./recover-root.ts');
      return { text: await recoverRootCommand(rest, Date.now(), values) };
    },
  },
  freeze: {
    help: FREEZE_HELP,
    takes: 0,
    async run(_, values) {
      const { freezeCommand } = await import('./freeze.ts');
      return { reply: await freezeCommand('countersign_freeze', Date.now(), values) };
    },
  },
  unfreeze: {
    help: UNFREEZE_HELP,
    takes: 0,
    async run(_, values) {
      const { freezeCommand, unfreezeAsOperator } = await import('./freeze.ts');
      if (values['by-operator']) return { text: await unfreezeAsOperator(Date.now(), values) };
      return { reply: await freezeCommand('countersign_unfreeze', Date.now(), values) };
    },
  },
  templates: {
    help: TEMPLATES_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { templatesCommand } = await import('./templates.ts');
      return { text: await templatesCommand(rest, Date.now(), values) };
    },
  },
  quota: {
    help: QUOTA_HELP,
    takes: 1,
    needsAction: true,
    async run(rest, values) {
      const { quotaCommand } = await import('./quota.ts');
      return { text: await quotaCommand(rest, Date.now(), values) };
    },
  },
  custody: {
    help: CUSTODY_HELP,
    needsAction: true,
    async run(rest, values) {
      const { custodyCommand } = await import('./custody.ts');
      return custodyCommand(rest, Date.now(), values, (text) => void process.stderr.write(`${text}\n`));
    },
  },
  outbox: {
    help: OUTBOX_HELP,
    takes: 2,
    needsAction: true,
    async run(rest, values) {
      const { outboxCommand } = await import('./outbox.ts');
      return { text: await outboxCommand(rest, Date.now(), values) };
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
        return releaseCommand(values);
      }
      const { sendsCommand } = await import('./sends.ts');
      return sendsCommand(rest, Date.now, values);
    },
  },
  instance: {
    help: INSTANCE_HELP,
    takes: 1,
    needsAction: true,
    async run([action], values) {
      if (action !== 'adopt') throw new UsageError(`there is no "instance ${action}": see countersign instance --help`);
      const { adoptCommand } = await import('./release.ts');
      return adoptCommand(values);
    },
  },
  velocity: {
    help: VELOCITY_HELP,
    needsAction: true,
    async run(rest, values) {
      const { velocityCommand } = await import('./velocity.ts');
      return velocityCommand(rest, Date.now(), values);
    },
  },
  webhooks: {
    help: WEBHOOKS_HELP,
    needsAction: true,
    async run(rest, values) {
      const { webhooksCommand } = await import('./webhooks.ts');
      return webhooksCommand(rest, Date.now, values);
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
          print: await writer(values),
          complain: (text) => process.stderr.write(text),
          stopped: stop.signal,
        });
        return 'reply' in told ? told : told.code;
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
      return exportCommand(Date.now, values);
    },
  },
  verify: {
    help: VERIFY_HELP,
    takes: 1,
    async run([file], values) {
      const { verifyCommand } = await import('./verify.ts');
      return verifyCommand(file, values, await writer(values));
    },
  },
  apps: {
    help: APPS_HELP,
    needsAction: true,
    async run(rest, values) {
      const { appsCommand } = await import('./apps.ts');
      return appsCommand(rest, Date.now, values);
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
      return chainCommand(rest, values);
    },
  },
};

/** The help of each command. */
export const helps = (): Map<string, string> => new Map(Object.entries(commands).map(([name, { help }]) => [name, help]));

export const commandNames: readonly string[] = Object.keys(commands);

export const commandNamed = (name: string): Command | undefined => (Object.hasOwn(commands, name) ? commands[name] : undefined);
