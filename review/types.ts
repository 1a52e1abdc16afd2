import type { Json } from '../src/base/json.ts';

/** Texts of a review are safe to show: `visible` has replaced hidden characters. */
export type Warning = {
  code: string;
  /** `red`: it may give something away, or cannot be read. */
  level: 'red' | 'amber';
  text: string;
  /** The path of what it is about: `parameters.calls[1]`. */
  at?: string;
};

export type FactKind = 'address' | 'amount' | 'text' | 'hex' | 'id' | 'number' | 'time';

export type Fact = {
  label: string;
  /** Whole, never shortened. */
  value: string;
  kind: FactKind;
  unit?: string;
  note?: string;
  /** What leaves, and where to. */
  main?: true;
  /** How many payees and amounts a fact adds to those that have facts of their own. */
  others?: { readonly payees: number; readonly amounts: number };
  /** The token of an amount in smallest units, in the form of CAIP-19. */
  asset?: string;
  /** The amount in whole tokens, as the service says. */
  whole?: string;
  /** The value that holds now, as the service says. */
  before?: string;
};

/** A value of a call by its path: `calls[0].target`. Addresses have their checksum. */
export type Argument = { name: string; type: string; value: string };

export type Call = {
  /** '' creates a contract. */
  to: string;
  /** Such as `transfer(address to, uint256 amount)`. Absent: not decoded. */
  function?: string;
  /** The service gave the interface that names the function. */
  named?: 'by the service';
  arguments: Argument[];
  /** In whole coins. Absent: nothing. */
  value?: { amount: string; unit: string };
  /** The code of `to` runs as the calling contract. */
  isDelegate?: true;
  /** Data that is not decoded: hex. */
  data?: string;
  /** The calls inside it. */
  calls: Call[];
  warnings: Warning[];
};

/** A member of the body, or a value of what is signed as policies see it: `eth.tx.to`. */
export type Field = { path: string; value: string };

export type Form =
  | 'transfer'
  | 'contract-call'
  | 'batch'
  | 'typed-data'
  | 'solana'
  | 'bitcoin'
  | 'raw'
  | 'policy'
  | 'people'
  | 'velocity'
  | 'freeze'
  | 'export'
  | 'other';

export type Review = {
  /** `sha256:` and hex, computed here over the exact bytes. */
  fingerprint: string;
  /** ACTIVITY_TYPE_…, with its version; '' if the body names none. */
  type: string;
  /** The type without prefix and version: `SIGN_TRANSACTION`. */
  kind: string;
  organizationId: string;
  timestampMs: string;
  title: string;
  form: Form;
  /** False: something of what is signed cannot be read, as a red warning says. */
  readable: boolean;
  facts: Fact[];
  calls: Call[];
  warnings: Warning[];
  everything: Field[];
  /** Values as policies see them, of each element of a batch. Of a send, only what its body names. */
  elements: Field[][];
  /** As sent, without nulls and what the service ignores. For `compareWithService`. */
  parameters: { [name: string]: Json };
};

/** What the service says, where a review shows differences and names. It is never what is signed. Ids are in lower case. */
export type Now = {
  policies?: readonly { readonly policyId: string; readonly [member: string]: unknown }[];
  rootQuorum?: { readonly threshold: number; readonly userIds: readonly string[] };
  /** `lasting`: how many credentials last, with their ids. */
  users?: readonly {
    readonly userId: string;
    readonly userName: string;
    /** '' for none. */
    readonly userEmail: string;
    readonly userPhoneNumber: string;
    readonly userTags: readonly string[];
    readonly lasting: number;
    readonly lastingIds?: readonly string[];
  }[];
  /** Names by ids, of users, tags, credentials, wallets and others. */
  names?: ReadonlyMap<string, string>;
  /** The limit that would end. */
  control?: { readonly [member: string]: Json };
  profileScope?: string;
};

/** What the service says of accounts that are paid or approved. `since`: the day from which on it knows earlier ones. `more`: there are others. */
export type SaidRecipients = {
  readonly since: string;
  readonly more: boolean;
  readonly of: readonly {
    readonly address: string;
    readonly isOwn: boolean;
    readonly earlier?: { readonly activityId: string; readonly day: string };
    readonly alike?: { readonly address: string; readonly isOwn: boolean };
  }[];
};

/** A token, as the service says. */
export type Token = { readonly symbol: string; readonly decimals: number };

export type ReviewOptions = {
  /** Interfaces as JSON text: ABIs by lower-case address, IDLs by program. */
  contractInterfaces?: ReadonlyMap<string, string>;
  now?: Now;
  recipients?: SaidRecipients;
  /** By the name of CAIP-19. */
  tokens?: ReadonlyMap<string, Token>;
};
