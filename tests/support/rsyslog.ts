/** The program rsyslog, as an operator of docs/operating/audit.md runs it. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { certificate, key } from '../outbound/certificate.ts';
import { freePort } from './free-port.ts';

const folders = (process.env.PATH ?? '').split(delimiter);
const program = folders.map((folder) => join(folder, 'rsyslogd')).find((path) => existsSync(path));

/** Of a package that was unpacked, libraries and modules are beside the program. */
function beside(): { libraries: string; args: string[] } {
  const at = join(dirname(program!), '../lib');
  const libraries = readdirSync(at, { withFileTypes: true })
    .filter((one) => one.isDirectory() && existsSync(join(at, one.name, 'rsyslog/imtcp.so')))
    .map((one) => join(at, one.name))[0];
  return libraries === undefined ? { libraries: '', args: [] } : { libraries, args: ['-M', join(libraries, 'rsyslog')] };
}

const PAGE = readFileSync(new URL('../../docs/operating/audit.md', import.meta.url), 'utf8');
const limit = (name: string) => new RegExp(`${name}="\\w+"`).exec(PAGE)![0];

const start = program === undefined ? { libraries: '', args: [] } : beside();
const env = { ...process.env, LD_LIBRARY_PATH: start.libraries };

/** Why tests with it are skipped. */
export const noRsyslog: string | false =
  (program === undefined || spawnSync(program, ['-v'], { env, stdio: 'ignore' }).status !== 0) && 'rsyslog is not installed here';

/** Takes messages over TLS, and writes each as a line. */
export async function startRsyslog(folder: string) {
  const [port, file, ca] = [await freePort(), join(folder, 'messages'), join(folder, 'ca.pem')];
  writeFileSync(ca, certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  const tls = `CAFile="${ca}" defaultNetstreamDriverCertFile="${ca}" defaultNetstreamDriverKeyFile="${join(folder, 'key.pem')}"`;
  const config = join(folder, 'rsyslog.conf');
  writeFileSync(
    config,
    `global(${limit('maxMessageSize')} workDirectory="${folder}" defaultNetstreamDriver="ossl" defaultNetstreamDriver${tls})
module(load="imtcp" ${limit('maxFrameSize')} streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="line" type="string" string="%syslogfacility-text%.%syslogseverity-text% %hostname% %app-name% %msgid% %msg%\\n")
input(type="imtcp" port="${port}" address="127.0.0.1")
action(type="omfile" file="${file}" template="line")
`,
  );
  const child = spawn(program!, ['-n', '-f', config, '-i', join(folder, 'pid'), ...start.args], { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  return {
    ...{ port, ca, lines },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
