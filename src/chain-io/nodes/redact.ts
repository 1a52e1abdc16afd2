const LONGEST = 600;

/** The parts of a URL that may be a key. Hosted nodes have theirs in the path, the query, or as a user. */
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

/** Makes an endpoint's texts safe to show: cut, without control characters, and without parts of its own URL. */
export function redactor(url: URL): (text: string) => string {
  const secrets = secretsOf(url);
  return (text) => {
    const told = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text.slice(0, 4 * LONGEST));
    return told
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, LONGEST)
      .toWellFormed();
  };
}
