/** A document as a chapter: the file, and the chapter's place below /docs. */
export type Chapter = readonly [file: string, place: string, title?: string];
export type Part = { title: string; chapters: readonly Chapter[] };

/** The chapters of the reference that the service sends. */
export const PARTS: readonly Part[] = [
  {
    title: 'Requests',
    chapters: [
      ['README.md', 'start', 'First steps'],
      ['docs/stamps.md', 'stamps'],
      ['docs/activities.md', 'activities'],
      ['docs/permissions.md', 'permissions'],
      ['docs/versions.md', 'versions'],
      ['docs/errors.md', 'errors'],
      ['docs/operating/limits.md', 'limits'],
      ['docs/glossary.md', 'glossary'],
    ],
  },
  {
    title: 'Guides',
    chapters: [
      ['docs/guides/README.md', 'guides'],
      ['docs/guides/embedded-wallet.md', 'guides/embedded-wallet', 'An embedded wallet app'],
      ['docs/guides/treasury.md', 'guides/treasury', 'A treasury with two approvals'],
      ['docs/guides/ci-signing.md', 'guides/ci-signing', 'Signing in CI'],
      ['docs/guides/agent-budget.md', 'guides/agent-budget', 'An agent’s wallet with a budget'],
      ['docs/guides/policies-in-ci.md', 'guides/policies-in-ci', 'Testing policies in CI'],
      ['docs/guides/moving.md', 'guides/moving', 'Moving from the hosted service'],
      ['docs/comparison.md', 'comparison', 'Other services'],
    ],
  },
  {
    title: 'Policies and limits',
    chapters: [
      ['docs/policy-language.md', 'policy-language'],
      ['docs/policies-as-files.md', 'policies-as-files'],
      ['docs/policy-testing.md', 'policy-testing'],
      ['docs/spending.md', 'spending'],
      ['docs/freezing.md', 'freezing'],
      ['docs/approving.md', 'approving'],
    ],
  },
  {
    title: 'Subjects',
    chapters: [
      ['docs/console.md', 'console'],
      ['docs/people.md', 'people'],
      ['docs/keys.md', 'keys'],
      ['docs/sending.md', 'sending'],
      ['docs/balances.md', 'balances'],
      ['docs/webhooks.md', 'webhooks'],
      ['docs/streaming.md', 'streaming'],
      ['docs/secrets.md', 'secrets'],
      ['docs/spark.md', 'spark'],
      ['docs/onramp.md', 'onramp'],
      ['docs/billing.md', 'billing'],
      ['docs/app-proofs.md', 'app-proofs'],
      ['docs/verifiable-apps.md', 'verifiable-apps'],
    ],
  },
  {
    title: 'Logins',
    chapters: [
      ['docs/login/README.md', 'login'],
      ['docs/login/otp.md', 'login/otp'],
      ['docs/login/email.md', 'login/email'],
      ['docs/login/oauth.md', 'login/oauth'],
      ['docs/login/sessions.md', 'login/sessions'],
      ['docs/login/session-profiles.md', 'login/session-profiles'],
      ['docs/login/mfa.md', 'login/mfa'],
      ['docs/login/auth-proxy.md', 'login/auth-proxy'],
    ],
  },
  {
    title: 'Clients',
    chapters: [
      ['docs/clients.md', 'clients'],
      ['docs/command-line.md', 'command-line'],
      ['docs/frames.md', 'frames'],
    ],
  },
];

export const CHAPTERS = PARTS.flatMap(({ chapters }) => chapters);

/** Every page of the reference begins with it. */
export const AT = '/docs';

/** The place of a file below it. */
export const belowDocs = (file: string): string => file.replace(/^docs\//, '');
