/** Schemes that run the named script, or show it as if the link's page had written it. */
const REFUSED = ['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:'];

const LONGEST = 2048;

/** Without invisible characters, and without characters that a URL cannot have. */
const PLAIN = /^[\x21-\x7e]+$/;

function withoutFiller(url: URL): string {
  const { protocol, username, password, host } = url;
  return JSON.stringify([protocol, username, password, host]);
}

/** Why a text is no template of a link: a URL with one `%s` after its host. Undefined if it is one. */
export function magicLinkProblem(template: string): string | undefined {
  if (template.length > LONGEST || !PLAIN.test(template)) return `must be a URL of at most ${LONGEST} characters`;
  if (template.split('%s').length !== 2) return 'must have exactly one %s';
  const one = URL.parse(template.replace('%s', 'a'));
  const other = URL.parse(template.replace('%s', 'b'));
  if (one === null || other === null) return 'must be a URL';
  if (REFUSED.includes(one.protocol)) return `must not be a ${one.protocol} URL`;
  if (one.username !== '' || one.password !== '') return 'must not have a user name or password';
  if (withoutFiller(one) !== withoutFiller(other)) return 'must have its %s after the host';
  return undefined;
}

export const magicLink = (template: string, filler: string): string => {
  const [before, after] = template.split('%s') as [string, string];
  return before + encodeURIComponent(filler) + after;
};

/** Why a text is no address of a logo. The service does not load it: mail programs do. */
export function logoProblem(text: string): string | undefined {
  const url = text.length <= LONGEST && PLAIN.test(text) ? URL.parse(text) : null;
  if (url?.protocol !== 'https:') return `must be an https URL of at most ${LONGEST} characters`;
  return url.username !== '' || url.password !== '' ? 'must not have a user name or password' : undefined;
}
