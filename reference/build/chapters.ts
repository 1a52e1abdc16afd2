/** The documents that the reference has as chapters, by part: the file, and the chapter's place below /docs. */
export const PARTS: readonly { title: string; chapters: readonly (readonly [file: string, place: string, title?: string])[] }[] =
  [
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
