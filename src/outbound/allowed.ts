/**
 * Hosts and ports that the operator lets requests name, whatever their address, and over http too. Each is `host:port`, as `URL`
 * writes it.
 */
export type Allowed = ReadonlySet<string>;

/** Reads `host:port,host:port`. Throws an Error that names the wrong entry. */
export function parseAllowed(text: string): Allowed {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== '').map(normal));
}

function normal(entry: string): string {
  const port = /:(\d{1,5})$/.exec(entry)?.[1];
  const url = URL.parse(`http://${entry}`);
  const isHost = url !== null && url.pathname === '/' && !/[/?#@*\s]/.test(entry);
  if (!isHost || port === undefined || Number(port) < 1) throw new Error(`"${entry}" is not host:port`);
  return `${url.hostname}:${Number(port)}`;
}
