import { spawnSync } from 'node:child_process';
import { namespaces, TOOLS_ENV, unprivileged } from './launch.ts';
import { SandboxRefused } from './types.ts';

const TRIAL_MS = 30_000;
/** The first with `--disable-userns`. */
const OLDEST = 8;

function run(command: readonly string[]): { ok: boolean; text: string } {
  const [program, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program!, args, {
    cwd: '/',
    env: TOOLS_ENV,
    encoding: 'utf8',
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 65_536,
  });
  const said = stderr?.trim() || error?.message || `exit code ${status}`;
  return { ok: status === 0, text: status === 0 ? stdout.trim() : said };
}

/** Makes an empty sandbox as an app's user. The error tells the operator what the machine lacks, before any app starts. */
export function trySandbox(uid: number): void {
  const version = run(['bwrap', '--version']).text;
  const [major, minor] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major === undefined || (major === 0 && minor! < OLDEST))
    throw new SandboxRefused(`Bubblewrap must be 0.${OLDEST} or newer, and it says: ${version}. Install a newer one.`);
  const { ok, text } = run([
    ...unprivileged(uid),
    ...['bwrap', ...namespaces(uid), '--ro-bind', '/', '/', '--proc', '/proc', '--', 'true'],
  ]);
  if (!ok)
    throw new SandboxRefused(
      `No sandbox can be made here: ${text}. Allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, ` +
        'kernel.apparmor_restrict_unprivileged_userns); in a container, also an unmasked /proc and a seccomp profile that allows them.',
    );
}
