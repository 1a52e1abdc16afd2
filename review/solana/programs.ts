/** How an instruction's data is written after its number. `text`: the rest. */
export type Part = readonly [name: string, kind: 'u8' | 'u32' | 'u64' | 'key' | 'key or none' | 'text'];

export type Known = {
  readonly name: string;
  readonly accounts: readonly string[];
  readonly data: readonly Part[];
  /** The byte after its number: other bytes are other instructions. */
  readonly next?: number;
  /** What it gives away. */
  readonly red?: string;
  readonly amber?: string;
};

export type Program = {
  readonly name: string;
  /** The bytes that number an instruction. */
  readonly width: 0 | 1 | 4;
  readonly instructions: Readonly<Record<number, Known>>;
};

const row = (name: string, accounts: string, data: readonly Part[] = [], more: Partial<Known> = {}): Known => ({
  name,
  accounts: accounts === '' ? [] : accounts.split(' '),
  data,
  ...more,
});

const AMOUNT: Part = ['amount', 'u64'];
const LAMPORTS: Part = ['lamports', 'u64'];
const DECIMALS: Part = ['decimals', 'u8'];

const system: Program = {
  name: 'System',
  width: 4,
  instructions: {
    0: row('CreateAccount', 'from new', [LAMPORTS, ['space', 'u64'], ['owner', 'key']]),
    1: row('Assign', 'account', [['owner', 'key']], { red: 'It gives an account to a program' }),
    2: row('Transfer', 'from to', [LAMPORTS]),
    4: row('AdvanceNonceAccount', 'nonce sysvar authority', [], {
      amber: 'It uses a durable nonce, so the signed transaction does not expire',
    }),
    5: row('WithdrawNonceAccount', 'nonce to blockhashes rent authority', [LAMPORTS]),
    6: row('InitializeNonceAccount', 'nonce blockhashes rent', [['authority', 'key']]),
    7: row('AuthorizeNonceAccount', 'nonce authority', [['new authority', 'key']], { red: 'It gives a nonce account away' }),
    8: row('Allocate', 'account', [['space', 'u64']]),
    11: row('TransferWithSeed', 'from base to', [LAMPORTS]),
  },
};

const token: Program = {
  name: 'Token',
  width: 1,
  instructions: {
    1: row('InitializeAccount', 'account mint owner rent'),
    3: row('Transfer', 'from to authority', [AMOUNT], { amber: 'It names no mint, so the token is not in the bytes' }),
    4: row('Approve', 'account delegate owner', [AMOUNT], { red: 'The delegate may take these tokens at any time' }),
    5: row('Revoke', 'account owner'),
    6: row(
      'SetAuthority',
      'account authority',
      [
        ['kind', 'u8'],
        ['new authority', 'key or none'],
      ],
      {
        red: 'It gives the authority over an account or a mint away',
      },
    ),
    7: row('MintTo', 'mint to authority', [AMOUNT]),
    8: row('Burn', 'account mint authority', [AMOUNT]),
    9: row('CloseAccount', 'account to authority', [], {
      amber: 'All SOL of the account goes to the receiver, however much it is',
    }),
    12: row('TransferChecked', 'from mint to authority', [AMOUNT, DECIMALS]),
    13: row('ApproveChecked', 'account mint delegate owner', [AMOUNT, DECIMALS], {
      red: 'The delegate may take these tokens at any time',
    }),
    15: row('BurnChecked', 'account mint authority', [AMOUNT, DECIMALS]),
    17: row('SyncNative', 'account'),
    18: row('InitializeAccount3', 'account mint', [['owner', 'key']]),
    22: row('InitializeImmutableOwner', 'account'),
    26: row('TransferCheckedWithFee', 'from mint to authority', [['extension', 'u8'], AMOUNT, DECIMALS, ['fee', 'u64']], {
      next: 1,
    }),
  },
};

const computeBudget: Program = {
  name: 'ComputeBudget',
  width: 1,
  instructions: {
    1: row('RequestHeapFrame', '', [['bytes', 'u32']]),
    2: row('SetComputeUnitLimit', '', [['units', 'u32']]),
    3: row('SetComputeUnitPrice', '', [['millionths of a lamport', 'u64']]),
  },
};

const memo: Program = { name: 'Memo', width: 0, instructions: { 0: row('Memo', '', [['text', 'text']]) } };

const tokenAccounts: Program = {
  name: 'AssociatedTokenAccount',
  width: 1,
  instructions: {
    0: row('Create', 'payer account owner mint system program'),
    1: row('CreateIdempotent', 'payer account owner mint system program'),
  },
};

/** Programs that the review knows, by key. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ['11111111111111111111111111111111', system],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', token],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', { ...token, name: 'Token-2022' }],
  ['ComputeBudget111111111111111111111111111111', computeBudget],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', memo],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', memo],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', tokenAccounts],
]);
