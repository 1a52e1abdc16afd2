const LONGEST = 600;

/** What of a URL may be a key: hosted nodes have theirs in the path, the query, or as a user. */
function secretsOf(url: URL): string[] {
  const parts = [...url.pathname.split('/').filter((part) => part.length >= 6), ...url.searchParams.values()];
  const plain = [url.username, url.password, ...parts].filter((part) => part.length >= 4);
  const decoded = plain.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return [...new Set([url.href, ...plain, ...decoded])].sort((a, b) => b.length - a.length);
}

/** Texts of an endpoint, as they may be told: cut, without control characters, and without what of its own URL is in them. */
export function blotter(url: URL): (text: string) => string {
  const secrets = secretsOf(url);
  return (text) => {
    const told = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text.slice(0, 4 * LONGEST));
    return told
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, LONGEST)
      .toWellFormed();
  };
}
