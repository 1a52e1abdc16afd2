/** Builds the container's image with Debian's buildah on a root file system of mmdebstrap, and runs it with runc. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const CERTIFICATES = '/etc/ssl/certs';
/** Unpacked, and not configured: that takes seconds in place of minutes. */
const PACKAGES = 'base-files,dash,coreutils,libstdc++6';
const HOOKS = '/usr/share/mmdebstrap/hooks/merged-usr';
/** An image takes minutes on a slow machine. */
const LONGEST_MS = 1_200_000;

const run = (command: string, args: readonly string[], cwd?: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', timeout: LONGEST_MS, stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Why there is no image here; false if there can be. */
export function noContainers(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  for (const program of ['buildah', 'mmdebstrap', 'runc', 'npm'])
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined) return `${program} is not installed here`;
  return false;
}

/** The folder of the npm that this machine has: Debian has none for this Node.js. */
const npmFolder = () => resolve(dirname(realpathSync(run('sh', ['-c', 'command -v npm']))), '..');

export function imageIn(folder: string) {
  const buildah = (...args: string[]) =>
    run('buildah', ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', ...args]);

  function makeBase(): void {
    const site = join(folder, 'base');
    mkdirSync(site);
    run('mmdebstrap', ['--variant=extract', `--hook-dir=${HOOKS}`, `--include=${PACKAGES}`, 'bookworm', join(site, 'base.tar')]);
    cpSync(process.execPath, join(site, 'node'));
    cpSync(npmFolder(), join(site, 'npm'), { recursive: true });
    // npm takes its settings from a home, which a base that is not configured lacks.
    writeFileSync(join(site, 'passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';
    const lines = [
      'FROM scratch',
      'ADD base.tar /',
      'COPY passwd /etc/',
      'COPY node /usr/local/bin/',
      'COPY npm /usr/local/lib/node_modules/npm',
      `RUN ${link}`,
    ];
    writeFileSync(join(site, 'Containerfile'), lines.join('\n'));
    buildah('bud', '--isolation', 'chroot', '--tag', 'localhost/base', site);
    rmSync(site, { recursive: true });
  }

  /** What npm of this machine has and trusts, for a build without the network of a container. */
  function ofThisMachine(): string[] {
    const npmrc = join(folder, 'npmrc');
    const bundle = join(CERTIFICATES, 'ca-certificates.crt');
    writeFileSync(npmrc, `prefer-offline=true\n${existsSync(bundle) ? `cafile=${bundle}\n` : ''}`);
    const cache = run('npm', ['config', 'get', 'cache']);
    const mounts = [
      `${npmrc}:/root/.npmrc:ro`,
      `${cache}:/root/.npm`,
      ...(existsSync(bundle) ? [`${CERTIFICATES}:${CERTIFICATES}:ro`] : []),
    ];
    return mounts.flatMap((mount) => ['--volume', mount]);
  }

  return {
    build(): void {
      makeBase();
      const given = ['--build-arg', 'BASE=localhost/base', '--pull-never', '--network', 'host', ...ofThisMachine()];
      const file = join(ROOT, 'deploy/container/Containerfile');
      buildah(
        'bud',
        '--isolation',
        'chroot',
        '--format',
        'docker',
        ...given,
        '--file',
        file,
        '--tag',
        'localhost/countersign',
        ROOT,
      );
    },
    /** Its settings, and the path of its files. */
    opened() {
      const container = buildah('from', '--pull-never', 'localhost/countersign');
      const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/countersign'));
      return { config: Docker.config as ImageConfig, rootfs: buildah('mount', container) };
    },
  };
}

export type ImageConfig = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Healthcheck: { Test: string[] };
  StopSignal: string;
};

const NAMESPACES = ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type }));

/** A bundle for runc, as a container engine with `--read-only` and no capabilities makes it. The network is this machine's. */
export function bundleOf(
  folder: string,
  { config, rootfs }: { config: ImageConfig; rootfs: string },
  data: string,
  env: string[],
) {
  const [uid, gid] = config.User.split(':').map(Number);
  const tmpfs = (destination: string) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'nodev', 'mode=1777', 'size=64m'],
  });
  const spec = {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...config.Cmd],
      env: [...config.Env, ...env],
      cwd: config.WorkingDir,
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      tmpfs('/tmp'),
      { ...tmpfs('/dev'), options: ['nosuid', 'mode=755', 'size=64k'] },
      { destination: config.WorkingDir, type: 'bind', source: data, options: ['bind', 'rw'] },
    ],
    linux: { namespaces: NAMESPACES },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(spec));
}
