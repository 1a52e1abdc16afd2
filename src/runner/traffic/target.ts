/** More than any name and port. */
const LONGEST = 300;

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):([0-9]{1,5})$/i;

/** The host, as `URL` writes it, and the port of a CONNECT. Undefined if it is no such target. */
export function targetOf(text: string): { hostname: string; port: number } | undefined {
  const [, host, digits] = (text.length <= LONGEST && AUTHORITY.exec(text)) || [];
  const url = host === undefined ? null : URL.parse(`http://${host}`);
  const port = Number(digits);
  return url === null || port < 1 || port > 65_535 ? undefined : { hostname: url.hostname, port };
}
