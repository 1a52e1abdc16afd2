/** The architecture's law as data. Change it together with the layout in docs/architecture.md. */

const OPERATION = [
  'domain',
  'chain-io/scan',
  'chain-io/sends',
  'engine',
  'login',
  'on-ramp',
  'wire',
  'model',
  'chains',
  'crypto',
  'base',
  'type:store/types.ts',
  'type:custody/types.ts',
];

/**
 * Which folders of src/ a folder may import besides itself. `folder` allows all of it, `folder/file.ts` that file only,
 * `type:` in front allows `import type` only, and `*` allows everything. Files directly in src/ start the program and import anything.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  policy: ['base/uuid.ts'],
  model: ['base'],
  // What clients and the service seal to each other: also for pages.
  bundles: ['base/bytes.ts', 'base/json.ts'],
  crypto: ['bundles', 'base'],
  wire: ['model', 'base'],
  messages: ['model', 'base'],
  chains: ['crypto', 'base', 'policy/language/types.ts', 'policy/language/shapes.ts', 'type:policy'],
  outbound: ['base'],
  // It starts untrusted processes, and knows nothing of the service.
  'runner/sandbox': [],
  // It knows Unix sockets of apps, and nothing of their sandbox.
  'runner/traffic': ['outbound', 'base'],
  'chain-io/nodes': ['outbound', 'chains', 'model', 'base', 'type:engine/ports.ts'],
  // It has no right of the service, so it has no code of store, custody, engine or domain.
  runner: ['runner/sandbox', 'runner/traffic', 'outbound', 'model', 'crypto', 'base'],
  store: ['model', 'base'],
  custody: ['bundles', 'crypto', 'base', 'type:store/types.ts'],
  engine: [
    'limits',
    'policy',
    'wire',
    'model',
    'base',
    'store/types.ts',
    'custody/types.ts',
    'outbound/types.ts',
    // What a signature takes is declared with the activity that signs.
    'type:chains/shared/transfers.ts',
  ],
  limits: ['model', 'base'],
  login: ['model', 'crypto', 'base', 'outbound/types.ts', 'type:engine', 'type:store/types.ts', 'type:custody/types.ts'],
  'on-ramp': [
    'login/tokens/jwt.ts',
    'model',
    'crypto',
    'base',
    'outbound/types.ts',
    'type:engine',
    'type:store/types.ts',
    'type:custody/types.ts',
  ],
  domain: [
    'engine',
    'limits',
    'login',
    'messages',
    'wire',
    'model',
    'chains',
    'crypto',
    'base',
    'type:store/types.ts',
    'type:custody/types.ts',
  ],
  'chain-io/sends': [
    'domain',
    'engine',
    'chain-io/nodes',
    'outbound',
    'wire',
    'model',
    'chains',
    'crypto',
    'base',
    'type:store/types.ts',
    'custody/types.ts',
  ],
  'chain-io/scan': [
    'domain',
    'engine',
    'chain-io/sends',
    'chain-io/nodes',
    'wire',
    'chains',
    'model',
    'base',
    'type:store/types.ts',
  ],
  'chain-io/worker': ['chain-io/sends', 'chain-io/nodes', 'engine', 'model', 'base', 'store/types.ts'],
  activities: OPERATION,
  queries: OPERATION,
  'auth-proxy': OPERATION,
  'runner-api': ['http/body.ts', 'engine', 'domain', 'wire', 'model', 'crypto', 'base', 'store/types.ts', 'custody/types.ts'],
  workers: ['engine', 'domain', 'messages', 'outbound', 'model', 'wire', 'base', 'store/types.ts', 'custody/types.ts'],
  http: ['limits', 'engine', 'activities', 'queries', 'auth-proxy', 'login', 'model', 'wire', 'base'],
  settings: ['limits', 'outbound', 'model', 'crypto', 'base'],
  // The composition root: it puts everything together.
  app: ['*'],
  // Commands for the operator of a service, over its database.
  operator: ['*'],
  // Above app in the order of layers: it offers functions of every layer at a terminal.
  cli: [
    '(root)',
    'app',
    'operator',
    'activities/index.ts',
    'queries/index.ts',
    'engine',
    'policy',
    'messages',
    'model',
    'crypto',
    'base',
  ],
};

/** Programs of `src/`, and the folders that they must not reach by any chain of imports that run. */
export const REACH: readonly { readonly from: string; readonly never: readonly string[] }[] = [
  // Apps run below it: it has no code that opens the service's keys or database.
  { from: 'runner.ts', never: ['store', 'custody', 'engine', 'domain', 'activities', 'queries', 'runner-api', 'http'] },
];

/**
 * The inner folders and files of a folder, from the top down: each may import those below it, and none above. Files of the folder
 * that the list leaves out are below all of them.
 */
export const FLOORS: Readonly<Record<string, readonly string[]>> = {
  engine: ['query', 'submit', 'engine.ts', 'decision', 'activity', 'request'],
};

/** Folders that may not import every package: base knows Node.js's own modules, policy none at all, and chains what runs in a browser. */
export const PACKAGES: Readonly<Record<string, 'none' | 'node' | 'browser'>> = {
  base: 'node',
  policy: 'none',
  chains: 'browser',
  bundles: 'browser',
};

/** Folders outside src/ whose code a browser runs. They may import these folders and files of src/, which run in a browser too. A slash at the end: a folder beside src/. */
export const PAGES: Readonly<Record<string, readonly string[]>> = {
  'frames/': ['bundles', 'chains', 'base/bytes.ts', 'base/json.ts', 'base/errors.ts', 'crypto/keccak.ts', 'type:crypto'],
  'reference/page/': [],
  'review/': [
    'chains',
    'policy',
    'base/bytes.ts',
    'base/ids.ts',
    'base/json.ts',
    'base/lru.ts',
    'base/names.ts',
    'crypto/hash.ts',
    // Names of networks and coins.
    'model/caip2.ts',
    'model/native-coin.ts',
    'model/session-profile.ts',
  ],
  'console/src/': [
    'review/',
    'openapi/client/',
    'bundles',
    'crypto/der.ts',
    'base/bytes.ts',
    'base/id-time.ts',
    'base/lru.ts',
    'base/remedies.ts',
    'base/shell.ts',
    'base/uuid.ts',
  ],
};

/** Folders beside src/ that these folders of src/ import. */
export const BESIDE: Readonly<Record<string, readonly string[]>> = { cli: ['review/'] };

export interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  /** Files of src/, or folders with a slash at the end, where it is allowed. */
  readonly allowed: readonly string[];
  /** The folders that the rule is about; all if absent. */
  readonly within?: readonly string[];
}

/** What reaches outside the program, and the few places where it is allowed. */
export const BANS: readonly Ban[] = [
  { what: 'Date.now', pattern: /\bDate\s*\.\s*now\b/g, allowed: ['base/clock.ts', 'cli/'] },
  {
    what: 'new Date() without an argument',
    pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?!\s*[(\w.]))/g,
    allowed: ['base/clock.ts', 'cli/'],
  },
  { what: 'performance.now', pattern: /\bperformance\s*\.\s*now\b/g, allowed: ['base/clock.ts', 'cli/'] },
  { what: 'Math.random', pattern: /\bMath\s*\.\s*random\b/g, allowed: [] },
  {
    what: 'randomness',
    pattern:
      /\b(?:random(?:Bytes|UUID|UUIDv7|Fill|FillSync|Int|SecretKey|PrivateKey)|getRandomValues|generateKey(?:Pair)?(?:Sync)?)\b/g,
    // A page's keys come from WebCrypto, which takes no other source.
    allowed: ['base/random.ts', 'bundles/web-hpke.ts'],
  },
  { what: 'fetch', pattern: /(?:(?<![.\w$])|\bglobalThis\s*\.\s*)fetch\s*\(/g, allowed: ['outbound/', 'cli/'] },
  { what: 'to meet fail-points', pattern: /\bmeetFailPoints\b/g, allowed: ['base/fail-point.ts'] },
  { what: 'process.env', pattern: /\bprocess\s*\.\s*env\b/g, allowed: ['config.ts'] },
  { what: 'Buffer, which no browser has,', pattern: /\bBuffer\b/g, allowed: [], within: ['chains/', 'policy/', 'bundles/'] },
  {
    what: 'to use a private key, seed or mnemonic',
    pattern:
      /(?<!\.)\b(?:signDigest|signEd25519|signSchnorr|tapTweakPrivateKey|keyTree|mnemonicToSeed|generateMnemonic|translateMnemonic|generatePrivateKey|signP256|p256Signer|decapsulate|generateHpkeKeyPair|openEncryptedBundle|openBase58Bundle|openQuorumEnvelope|makeAttestation|signEs384)\b/g,
    // Commands use keys that their caller hands them.
    allowed: ['crypto/', 'custody/', 'operator/deploy-station.ts', 'cli/operator-key.ts'],
  },
  // What the vault opens has a type that is no bytes: decision 0116.
  { what: 'to name plaintext keys', pattern: /\b(?:PlainKey|KeyBytes|asPlainKey)\b/g, allowed: ['crypto/', 'custody/'] },
  {
    what: 'to take the bytes of plaintext keys',
    pattern: /\bbytesOfKey\b/g,
    // Texts, HMACs, copies for exports, and the envelope itself. No other file of custody has the bytes.
    allowed: [
      'crypto/',
      'custody/envelope.ts',
      'custody/oauth2.ts',
      'custody/on-ramp.ts',
      'custody/rate-key.ts',
      'custody/recovery-switch.ts',
      'custody/transfers.ts',
      'custody/vault.ts',
      'custody/wallets.ts',
    ],
  },
  {
    what: 'to open sealed secrets',
    pattern: /\b(?:Envelope\b|envelope\(|openMasterKeys?\b)/g,
    // The start and rotation hand it to custody, and a drill opens every secret of a copy.
    allowed: [
      'custody/',
      'app/open-keys.ts',
      'app/root-key.ts',
      'app/service-keys.ts',
      'app/recovery-switch.ts',
      'app/custody/',
      'operator/backup/',
      'operator/custody/',
      'operator/recovery/',
    ],
    within: ['app/', 'operator/', 'cli/', 'activities/', 'queries/', 'domain/', 'workers/', 'http/', 'login/', 'messages/'],
  },
  { what: 'console', pattern: /(?<![.\w$])console\s*\.\s*\w/g, allowed: ['cli/'] },
];

export const LINES = { warn: 250, limit: 500 } as const;

/** Lines that half of the files of src/, and nine of ten, may have at most. */
export const SPREAD = { half: 60, mostly: 200 } as const;

/** Folders of which only the names and the lengths of the files are checked. */
export const TIDY_ONLY = ['review', 'frames', 'reference', 'scripts', 'tests', 'bench', 'examples', 'console/src'] as const;

/** Folders whose files are listed in an index.ts and have a test each. */
export const OPERATIONS = ['activities', 'queries'] as const;

/** Names of files of a program that say nothing about their contents. */
export const REFUSED_NAMES =
  /^(?:src|console\/src)\/(?:.*\/)?(?:ways-in|front-door|listed|named-users|new-person|kept|slot|forms|breathe|blot|lately|twin|within|apart|several|left-behind|lose|found|not-done|gate|facts)\.tsx?$/;

/** Each segment of a source file's path. */
export const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
