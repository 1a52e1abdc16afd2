import { UUID_TEXT } from '../../base/uuid.ts';

/** The app's ID of a Host header `app-<id>.<domain>`, with any port. Undefined if it is no such host. */
export function appIdReader(domain: string): (host: string) => string | undefined {
  const escaped = domain.replaceAll('.', '\\.');
  const pattern = new RegExp(`^app-(${UUID_TEXT})\\.${escaped}\\.?(?::\\d{0,5})?$`);
  return (host) => pattern.exec(host.toLowerCase())?.[1];
}
