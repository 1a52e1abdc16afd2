/** What the service needs of the files for Compose and Kubernetes. Debian has no schema for the second. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { frameSettings } from '../../src/settings/frames.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');
/** A stop answers pending requests for up to 10 s. */
const STOP_S = 10;

const areSettings = (names: readonly string[]) =>
  assert.deepEqual(
    names.filter((name) => !(SETTINGS as readonly string[]).includes(name.replace(/_FILE$/, ''))),
    [],
  );
type Compose = {
  secrets?: string[];
  networks: string[] | Record<string, unknown>;
  volumes?: string[];
  depends_on?: Record<string, unknown>;
};

const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)![1]);

test('the processes of compose have no rights, time to stop, settings that exist, and all that they name', () => {
  const { services, secrets, volumes, networks } = parse(read('compose/compose.yaml'), { merge: true });
  const { first, second, database, proxy } = services;
  for (const one of [first, second]) {
    assert.deepEqual([one.user, one.read_only, one.cap_drop], ['10001:10001', true, ['ALL']]);
    assert.deepEqual(one.security_opt, ['no-new-privileges:true']);
    assert.ok(seconds(one.stop_grace_period) > STOP_S);
    assert.equal(one.ports, undefined, 'clients reach the proxy alone');
    assert.ok(one.environment.TRUSTED_PROXIES.includes(proxy.networks.outside.ipv4_address));
    areSettings(Object.keys(one.environment));
  }
  const { COUNTERSIGN_UPSTREAMS, COUNTERSIGN_FRAMES_UPSTREAMS } = proxy.environment;
  for (const [upstreams, port] of [
    [COUNTERSIGN_UPSTREAMS, '8080'],
    [COUNTERSIGN_FRAMES_UPSTREAMS, first.environment.FRAMES_PORT],
  ])
    assert.equal(upstreams, `first:${port} second:${port}`);
  const caddyfile = read('caddy/Caddyfile');
  for (const name of Object.keys(proxy.environment)) assert.ok(caddyfile.includes(`{$${name}:`), name);
  assert.notDeepEqual(first.volumes, second.volumes);
  assert.deepEqual(database.networks, ['inside']);
  assert.equal(networks.inside.internal, true);
  for (const one of Object.values<Compose>(services)) {
    for (const name of one.secrets ?? []) assert.ok(secrets[name], name);
    for (const name of Array.isArray(one.networks) ? one.networks : Object.keys(one.networks)) assert.ok(networks[name], name);
    for (const [name] of (one.volumes ?? []).map((mount) => mount.split(':') as [string]))
      assert.ok(name.startsWith('..') ? read(`compose/${name}`) : name in volumes, name);
    for (const name of Object.keys(one.depends_on ?? {}))
      assert.ok(services[name].healthcheck ?? services[name].build, `${name} has a health check, of its image or here`);
  }
});

const compose = ['--file', join(DEPLOY, 'compose/compose.yaml'), 'config', '--quiet'];
const isMissing = spawnSync('docker-compose', ['version'], { stdio: 'ignore' }).error !== undefined;

test('docker-compose reads the file', { skip: isMissing && 'docker-compose is not installed here' }, () => {
  const env = { ...process.env, SITE: 'sign.example.com', ROOT_USER_PUBLIC_KEY: '02' };
  const { status, stderr } = spawnSync('docker-compose', compose, { env, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
});

test('the pods of Kubernetes have no rights, are asked by the right paths, and stop after they left the balancer', () => {
  const all = parseAllDocuments(read('kubernetes/countersign.yaml')).map((one) => {
    assert.deepEqual(one.errors, []);
    return one.toJS();
  });
  const of = (kind: string) => all.find((one) => one.kind === kind);
  const [settings, deployment, service, budget] = ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'].map(of);
  const { replicas, selector, strategy, template } = deployment.spec;
  const { securityContext, containers, volumes, terminationGracePeriodSeconds, ...pod } = template.spec;
  const [container] = containers;
  areSettings(Object.keys(settings.data));
  for (const value of Object.values(settings.data)) assert.equal(typeof value, 'string');
  assert.ok(replicas > budget.spec.minAvailable && strategy.rollingUpdate.maxUnavailable === 0);
  for (const labels of [selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels])
    assert.deepEqual(labels, template.metadata.labels);
  assert.deepEqual([securityContext.runAsNonRoot, securityContext.seccompProfile.type], [true, 'RuntimeDefault']);
  assert.deepEqual(container.securityContext, {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
  assert.equal(pod.automountServiceAccountToken, false);
  const [, pause] = container.lifecycle.preStop.exec.command;
  assert.ok(terminationGracePeriodSeconds > Number(pause) + STOP_S);
  const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => container[probe].httpGet.path);
  assert.deepEqual(paths, ['/health', '/ready', '/health']);
  const mounts = container.volumeMounts.map(({ name }: { name: string }) => name);
  assert.deepEqual(
    mounts,
    volumes.map(({ name }: { name: string }) => name),
  );
  assert.match(read('container/Containerfile'), /EXPOSE 8080\n/);
  const portOf = (name: string) => container.ports.find((port: { name: string }) => port.name === name).containerPort;
  const { FRAMES_PORT, METRICS_PORT, FRAMES_URL, BASE_URL } = settings.data;
  assert.deepEqual(['http', 'frames', 'metrics'].map(portOf), [8080, Number(FRAMES_PORT), Number(METRICS_PORT)]);
  for (const { targetPort } of service.spec.ports) assert.ok(portOf(targetPort) > 0);
  assert.notEqual(new URL(FRAMES_URL).host, new URL(BASE_URL).host);
  // As a pod reads them, when an operator has named an app.
  const apps = { HOST: '0.0.0.0', FRAMES_ALLOWED_ORIGINS: 'https://app.example.com' };
  assert.equal(frameSettings({ ...settings.data, ...apps }, '0.0.0.0', 8080, BASE_URL).at!.port, Number(FRAMES_PORT));
  assert.deepEqual(frameSettings(settings.data, '0.0.0.0', 8080, BASE_URL).pages, []);
});
