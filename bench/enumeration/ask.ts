import { Agent, request } from 'node:http';

export type Asked = { ms: number; status: number; headers: string[]; text: string };

/** Asks one after the other on one connection, as an attacker who measures does. */
export function asker(port: number, configId: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** `stamp`: what a request has besides the proxy's header. */
  const ask = (path: string, body: object, stamp: Record<string, string> = {}): Promise<Asked> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'x-auth-proxy-config-id': configId,
        ...stamp,
      };
      const started = performance.now();
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const ms = performance.now() - started;
          const names = answer.rawHeaders.filter((_, i) => i % 2 === 0);
          resolve({ ms, status: answer.statusCode ?? 0, headers: names, text: Buffer.concat(parts).toString('utf8') });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return { ask, close: () => agent.destroy() };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Keys and signatures of a bundle, with the hex around them. A signature is a byte longer or shorter at random. */
const HEX = /[0-9a-f]{64,}/g;

/** An answer without its random parts, and without the contact of the request. */
export const shapeOf = ({ status, headers, text }: Asked, contact: string): string =>
  `${status} ${headers.join(' ')} ${text.replaceAll(contact, '(contact)').replace(UUID, '(id)').replace(HEX, '(hex)')}`;
