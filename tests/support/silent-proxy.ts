import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** `both`: nothing arrives any more. `answers`: requests arrive, and no answer does. */
export type Silence = 'both' | 'answers';

export type SilentProxy = {
  /** The same database behind the proxy. */
  url: string;
  /** From now on the present connections are silent: neither side hears that, or that the other closed. New ones work. */
  silence(how: Silence): void;
  /** Whether new connections are silent too. */
  block(on: boolean): void;
  /** Forwards `text` on the next connection that sent `before` earlier, and gives no answer to it. */
  silenceAt(text: string, before?: string): void;
  stop(): Promise<void>;
};

type Link = { near: Socket; far: Socket; silence: Silence | undefined; isMeant: boolean };

/** A TCP proxy in front of a database. Its connections fall silent as those of a partition do: without RST. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const links = new Set<Link>();
  const upstream = new URL(databaseUrl);
  let isBlocked = false;
  let awaited: { text: string; before: string } | undefined;

  const server = createServer((near) => {
    const far = dial(Number(upstream.port || 5432), upstream.hostname);
    const link: Link = { near, far, silence: isBlocked ? 'both' : undefined, isMeant: false };
    links.add(link);
    near.on('data', (chunk) => {
      link.isMeant ||= awaited !== undefined && chunk.includes(awaited.before);
      if (awaited !== undefined && link.isMeant && chunk.includes(awaited.text)) {
        awaited = undefined;
        link.silence ??= 'answers';
      }
      if (link.silence !== 'both') far.write(chunk);
    });
    far.on('data', (chunk) => link.silence === undefined && near.write(chunk));
    const forget = () => near.destroyed && far.destroyed && links.delete(link);
    const closes = (one: Socket, other: Socket) => {
      one.on('error', () => {});
      one.on('close', () => {
        if (link.silence === undefined) other.destroy();
        forget();
      });
    };
    closes(near, far);
    closes(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    silence(how) {
      for (const link of links) link.silence ??= how;
    },
    block(on) {
      isBlocked = on;
    },
    silenceAt(text, before = text) {
      awaited = { text, before };
      for (const link of links) link.isMeant = false;
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { near, far } of links) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}
