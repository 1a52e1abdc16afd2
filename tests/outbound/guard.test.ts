import assert from 'node:assert/strict';
import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer as createRaw } from 'node:net';
import { after, test } from 'node:test';
import { parseAllowed } from '../../src/outbound/allowed.ts';
import { BOUNDS, type Bounds, guarded } from '../../src/outbound/guard.ts';
import { type Resolve, resolveByDns } from '../../src/outbound/resolve.ts';
import type { OutboundError } from '../../src/outbound/types.ts';
import { certificate, key } from './certificate.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const plain = (answer: RequestListener) => listening(createPlain(answer));
const secure = (answer: RequestListener) => listening(createSecure({ cert: certificate, key }, answer) as unknown as Server);

/** A resolver that answers from a list, one entry for each question, and notes the questions. */
function resolver(...answers: (string[] | Error)[]): Resolve & { asked: string[] } {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    const answer = answers[Math.min(asked.push(name), answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return Object.assign(resolve, { asked });
}

type Given = { allow?: string; resolve?: Resolve; bounds?: Partial<Bounds> };

const guard = ({ allow = '', resolve = resolver(['127.0.0.1']), bounds = {} }: Given = {}) =>
  guarded({ allowed: parseAllowed(allow), resolve: { brought: resolve, allowed: resolve }, bounds, ca: certificate });

const payer = 'payer';

async function refused(work: Promise<unknown>, message: RegExp, mayPass = false): Promise<void> {
  await assert.rejects(work, (error: OutboundError) => {
    assert.equal(error.name, 'OutboundError', String(error));
    assert.match(error.message, message);
    assert.equal(error.mayPass, mayPass, error.message);
    return true;
  });
}

const never = () => assert.fail('it must not be asked');

test('a host that the operator allowed is asked over http and https, at any address', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const answer: RequestListener = ({ headers }, response) => {
    seen.push(headers);
    response.end('document');
  };
  const [port, securePort] = [await plain(answer), await secure(answer)];
  const get = guard({ allow: `issuer.test:${port}, issuer.test:${securePort},127.0.0.1:${port}` });
  for (const url of [`http://issuer.test:${port}/a`, `https://issuer.test:${securePort}/a`, `http://127.0.0.1:${port}`])
    assert.equal((await get(url, { payer })).toString(), 'document');
  assert.equal(seen[0]!.host, `issuer.test:${port}`);
  assert.deepEqual([seen[0]!.cookie, seen[0]!.authorization, seen[0]!['accept-encoding']], [undefined, undefined, 'identity']);
});

test('a certificate for another name is refused', async () => {
  const port = await secure(never);
  await refused(guard({ allow: `wrong.test:${port}` })(`https://wrong.test:${port}`, { payer }), /could not be reached/, true);
});

test('an address that is not public is refused, however it is written', async () => {
  const port = await plain(never);
  const resolve = resolver(['127.0.0.1']);
  const get = guard({ resolve });
  const hosts = ['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '127.0.0.1.', '１２７.0.0.1'];
  const more = [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '169.254.169.254',
    '0',
    '10.1',
  ];
  for (const host of [...hosts, ...more]) await refused(get(`https://${host}:${port}/`, { payer }), /has no public address/);
  assert.deepEqual(resolve.asked, [], 'no name was looked up');
});

test('a name is refused if one of its addresses is not public, and if it has none', async () => {
  const port = await plain(never);
  const answers = [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['1.1.1.1', '169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['2606:4700::1', 'fd00::1'],
    [],
  ];
  for (const answer of answers)
    for (const host of ['rebind.test', 'localhost', 'localhost.', 'metadata.google.internal'])
      await refused(guard({ resolve: resolver(answer) })(`https://${host}:${port}`, { payer }), /has no public address/);
});

test('only https, and only of the listed host and port', async () => {
  const port = await plain(never);
  const get = guard({ allow: `issuer.test:${port},issuer.test:1` });
  for (const url of [`http://issuer.test`, `http://other.test:${port}`, 'ftp://issuer.test:1', 'file:///etc/passwd', 'data:,a'])
    await refused(get(url, { payer }), /must be called over https/);
  await refused(get(`https://issuer.test:${port + 1}`, { payer }), /has no public address/);
  await refused(get(`http://issuer.test.:${port}`, { payer }), /must be called over https/);
});

test('addresses that are no URL, too long, or have a password', async () => {
  const get = guard();
  for (const url of ['', 'issuer.test', 'https://', 'https://a b', `https://issuer.test/${'a'.repeat(2048)}`])
    await refused(get(url, { payer }), /not a URL/);
  for (const url of ['https://user@issuer.test', 'https://:p@issuer.test'])
    await refused(get(url, { payer }), /user name or password/);
});

test('DNS that changes between check and use: it is asked once, and that answer is connected to', async () => {
  const port = await plain((_, response) => response.end('pinned'));
  const resolve = resolver(['127.0.0.1'], new Error('asked twice'));
  const get = guard({ allow: `rebind.test:${port}`, resolve });
  assert.equal((await get(`http://rebind.test:${port}/`, { payer })).toString(), 'pinned');
  assert.deepEqual(resolve.asked, ['rebind.test']);
});

test('each redirect is checked as the first address was', async () => {
  const inner = await plain(never);
  let location = '';
  const port = await plain((_, response) => response.writeHead(302, { location }).end());
  const get = guard({ allow: `issuer.test:${port}` });
  const refusals: [string, RegExp][] = [
    [`https://127.0.0.1:${inner}`, /has no public address/],
    [`https://localhost:${inner}`, /has no public address/],
    [`http://127.0.0.1:${inner}`, /over https/],
    [`//[::1]:${inner}/`, /over https/],
    ['https://169.254.169.254/latest/meta-data', /has no public address/],
    ['file:///etc/passwd', /over https/],
    ['https://user:secret@issuer.test', /user name or password/],
    [`http://issuer.test:${port}/again`, /redirects more than 3 times/],
    ['/again', /redirects more than 3 times/],
  ];
  for (const [to, message] of refusals) {
    location = to;
    await refused(get(`http://issuer.test:${port}/`, { payer }), message);
  }
});

test('a few redirects between hosts that may be asked are followed', async () => {
  const last = await secure((_, response) => response.end('at last'));
  const port = await plain(({ url }, response) =>
    response.writeHead(307, { location: url === '/b' ? `https://other.test:${last}/` : '/b' }).end(),
  );
  const get = guard({ allow: `issuer.test:${port},other.test:${last}` });
  assert.equal((await get(`http://issuer.test:${port}/a`, { payer })).toString(), 'at last');
});

test('other answers are refused, and those of a server in trouble may be asked for again', async () => {
  let status = 404;
  const port = await plain((_, response) => response.writeHead(status).end('x'.repeat(1000)));
  const get = guard({ allow: `issuer.test:${port}` });
  for (status of [204, 304, 302, 400, 401, 404])
    await refused(get(`http://issuer.test:${port}`, { payer }), /answered with status \d+/);
  for (status of [429, 500, 503]) await refused(get(`http://issuer.test:${port}`, { payer }), /answered with status \d+/, true);
});

test('an answer has an end, said or not', async () => {
  const port = await plain(({ url }, response) => {
    if (url === '/said') response.setHeader('content-length', 1001);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(100)));
      if (!response.destroyed) response.once('drain', more);
    };
    if (url === '/fits') response.end('x'.repeat(1000));
    else more();
  });
  const get = guard({ allow: `issuer.test:${port}`, bounds: { bytes: 1000 } });
  for (const path of ['/said', '/streamed'])
    await refused(get(`http://issuer.test:${port}${path}`, { payer }), /more than 1000 bytes/);
  assert.equal((await get(`http://issuer.test:${port}/fits`, { payer })).length, 1000);
});

test('an answer that never begins, and one whose frames outweigh its body, have an end too', async () => {
  const port = await listening(
    createRaw((socket) => {
      socket.on('error', () => {});
      socket.once('data', (head) => {
        const isChunked = head.toString().startsWith('GET /chunks');
        if (isChunked) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const some = (isChunked ? `1;${'e'.repeat(1000)}\r\nx\r\n` : 'HTTP/1.1 100 Continue\r\n\r\n').repeat(100);
        const more = () => {
          while (!socket.destroyed && socket.write(some));
        };
        socket.on('drain', more);
        more();
      });
    }) as Server,
  );
  const get = guard({ allow: `issuer.test:${port}`, bounds: { milliseconds: 60_000 } });
  for (const path of ['/interim', '/chunks'])
    await refused(get(`http://issuer.test:${port}${path}`, { payer }), /more than 262144 bytes/);
});

test('a slow answer ends when the time is over, wherever it is slow', async () => {
  const closed: Promise<unknown>[] = [];
  const port = await plain(({ url, socket }, response) => {
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
    if (url === '/body') response.write('{');
    if (url === '/redirect') response.writeHead(302, { location: '/silent' }).end();
  });
  const get = guard({ allow: `issuer.test:${port}`, bounds: { milliseconds: 100 } });
  for (const path of ['/silent', '/body', '/redirect'])
    await refused(get(`http://issuer.test:${port}${path}`, { payer }), /could not be reached/, true);
  await Promise.all(closed);
  const asleep = guard({ allow: 'issuer.test:1', resolve: () => new Promise(() => {}), bounds: { milliseconds: 50 } });
  await refused(asleep('http://issuer.test:1', { payer }), /could not be reached/, true);
});

test('the caller may end it, and a connection that breaks is told as one', async () => {
  const arrived = Promise.withResolvers<void>();
  const port = await plain((request) => (request.url === '/break' ? request.socket.destroy() : arrived.resolve()));
  const get = guard({ allow: `issuer.test:${port}` });
  const stopped = new AbortController();
  const waiting = get(`http://issuer.test:${port}/`, { payer, signal: stopped.signal });
  await arrived.promise;
  stopped.abort();
  await refused(waiting, /could not be reached/, true);
  await refused(get(`http://issuer.test:${port}/break`, { payer }), /could not be reached/, true);
  await refused(get(`http://issuer.test:${port}/`, { payer, signal: AbortSignal.abort() }), /could not be reached/, true);
});

test('no caller takes all places, and none waits for one', async () => {
  const held: (() => void)[] = [];
  let arrived = Promise.withResolvers<void>();
  const port = await plain((request, response) => {
    if (request.url === '/fast') {
      response.end('fast');
      return;
    }
    held.push(() => response.end('slow'));
    arrived.resolve();
  });
  const names = ['slow.test', 'slow2.test', 'fast.test'].map((name) => `${name}:${port}`);
  const get = guard({ allow: names.join(), bounds: { all: 4, payer: 2, host: 2, payerAtHost: 2 } });
  const slow = async (host: string, by: string) => {
    arrived = Promise.withResolvers();
    const answer = get(`http://${host}:${port}/slow`, { payer: by });
    await Promise.race([arrived.promise, answer]);
    return { answer };
  };
  const fast = (host: string, by: string) => get(`http://${host}:${port}/fast`, { payer: by });
  const first = [await slow('slow.test', 'a'), await slow('slow.test', 'a')];
  await refused(fast('fast.test', 'a'), /too many requests/, true);
  await refused(fast('slow.test', 'b'), /too many requests/, true);
  assert.equal((await fast('fast.test', 'b')).toString(), 'fast');
  const second = [await slow('slow2.test', 'b'), await slow('slow2.test', 'c')];
  await refused(fast('fast.test', 'd'), /too many requests/, true);
  for (const release of held.splice(0)) release();
  for (const { answer } of [...first, ...second]) assert.equal((await answer).toString(), 'slow');
  for (const by of ['a', 'b', 'c', 'd']) assert.equal((await fast('slow.test', by)).toString(), 'fast');
});

test('auth proxies together leave places to those who have a stamp', async () => {
  const held: (() => void)[] = [];
  let arrived = 0;
  const both = Promise.withResolvers<void>();
  const port = await plain(({ url }, response) => {
    if (url === '/fast') return response.end('fast');
    held.push(() => response.end('slow'));
    if (++arrived === 2) both.resolve();
  });
  const get = guard({ allow: `slow.test:${port}`, bounds: { proxies: 2 } });
  const slow = ['a', 'b'].map((by) => get(`http://slow.test:${port}/slow`, { payer: `proxy ${by}` }));
  await both.promise;
  await refused(get(`http://slow.test:${port}/fast`, { payer: 'proxy c' }), /too many requests/, true);
  assert.equal((await get(`http://slow.test:${port}/fast`, { payer: 'c' })).toString(), 'fast');
  for (const release of held) release();
  await Promise.all(slow);
  assert.equal((await get(`http://slow.test:${port}/fast`, { payer: 'proxy c' })).toString(), 'fast');
});

test('one payer does not keep others from a host', async () => {
  const held: (() => void)[] = [];
  const port = await plain(({ url }, response) => (url === '/fast' ? response.end('fast') : held.push(() => response.end())));
  const get = guard({ allow: `shared.test:${port}` });
  const tries = Array.from({ length: 8 }, (_, i) => get(`http://shared.test:${port}/${i}`, { payer: 'greedy' }));
  const settled = Promise.allSettled(tries);
  assert.equal((await get(`http://shared.test:${port}/fast`, { payer })).toString(), 'fast');
  for (let done = false; !done; await new Promise(setImmediate)) {
    for (const release of held.splice(0)) release();
    done = await Promise.race([settled.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);
  }
  assert.equal((await settled).filter(({ status }) => status === 'fulfilled').length, BOUNDS.payerAtHost);
});

test('names that requests bring are asked of DNS, and never of the hosts file', async () => {
  const signal = AbortSignal.timeout(1);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  await assert.rejects(resolveByDns('localhost', signal), { name: 'TimeoutError' });
});

test('allowed hosts are listed with their port', () => {
  assert.deepEqual([...parseAllowed('')], []);
  const parsed = parseAllowed('Localhost:8080, [::1]:443,0x7f.1:80,例え.test:1,');
  assert.deepEqual([...parsed], ['localhost:8080', '[::1]:443', '127.0.0.1:80', 'xn--r8jz45g.test:1']);
  for (const wrong of [
    'localhost',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'http://a:1',
    'a:1/b',
    'u@a:1',
    'a b:1',
    '*.test:1',
    '::1:80',
    '[::1]',
  ])
    assert.throws(
      () => parseAllowed(`a:1,${wrong}`),
      (error: Error) => error.message === `"${wrong}" is not host:port`,
      wrong,
    );
});
