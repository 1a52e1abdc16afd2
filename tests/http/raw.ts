import { connect } from 'node:net';

export type Raw = { text: string; closed: boolean };

/** Writes bytes to the service as they are. Resolves when the service closes the connection, or once `enough` returns true. */
export async function raw(url: string, bytes: string | Buffer, enough: (text: string) => boolean = () => false): Promise<Raw> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  let closed = true;
  await new Promise<void>((done) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!enough(text)) return;
      closed = false;
      socket.destroy();
    });
    socket.on('close', () => done());
    socket.write(bytes);
  });
  return { text, closed };
}

export const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
