import { statSync } from 'node:fs';
import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';

type Handle = Buffer;
type Mechanism = { mechanism: number; parameter: object };

/** The parts of pkcs11js that are used. The package is compiled by the operator, and only for this provider. */
export type Pkcs11Package = {
  PKCS11: new () => {
    load(path: string): void;
    close(): void;
    C_Initialize(): void;
    C_Finalize(): void;
    C_GetSlotList(tokenPresent: boolean): Handle[];
    C_GetTokenInfo(slot: Handle): { label: string };
    C_OpenSession(slot: Handle, flags: number): Handle;
    C_CloseSession(session: Handle): void;
    C_Login(session: Handle, user: number, pin: string): void;
    C_FindObjectsInit(session: Handle, template: { type: number; value: string | number }[]): void;
    C_FindObjects(session: Handle, most: number): Handle[];
    C_FindObjectsFinal(session: Handle): void;
    C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
    C_EncryptAsync(session: Handle, data: Buffer, into: Buffer): Promise<Buffer>;
    C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
    C_DecryptAsync(session: Handle, data: Buffer, into: Buffer): Promise<Buffer>;
  };
  CKF_SERIAL_SESSION: number;
  CKU_USER: number;
  CKA_CLASS: number;
  CKA_LABEL: number;
  CKO_SECRET_KEY: number;
  CKM_AES_GCM: number;
  CK_PARAMS_AES_GCM: number;
};

export type Pkcs11Settings = { module: string; token: string; key: string; pin: string };

const NONCE = 12;
const TAG = 16;
const PATIENCE_MS = 10_000;

/** PKCS #11 names errors by constants, such as CKR_PIN_INCORRECT. Their texts hold no secret. */
const REMEDIES: Readonly<Record<string, string>> = {
  CKR_PIN_INCORRECT: 'the PIN is wrong: check ROOT_KEY_PIN. A token locks itself after a few wrong PINs',
  CKR_PIN_LOCKED: 'the PIN is locked: unlock the token with its security officer',
  CKR_MECHANISM_INVALID: 'it is no AES key of 256 bits, or the token does not know AES-GCM: check ROOT_KEY_NAME',
  CKR_ENCRYPTED_DATA_INVALID: 'the key did not seal this, or it was changed: check ROOT_KEY_NAME and ROOT_KEY_SLOT',
  CKR_GENERAL_ERROR: 'the key did not seal this, it was changed, or the token failed: check ROOT_KEY_NAME and ROOT_KEY_SLOT',
};

/** A process initializes a PKCS #11 library once, so calls follow each other. A rotation and the service may call at once. */
let last: Promise<unknown> = Promise.resolve();

const SILENT = 'no answer within 10 seconds: check the token, and restart this process';

/** Ends the wait for a token. Its call may go on in a thread, and its answer is dropped. */
async function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(SILENT)), PATIENCE_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** An AES key of a PKCS #11 token, which never leaves it: AES-256-GCM. A session is open for one call only. */
export function pkcs11Root(native: Pkcs11Package, settings: Pkcs11Settings, random: Random): RootKey {
  const { module, token, key, pin } = settings;
  const failed = (error: unknown) => {
    const { message } = error as Error;
    const code = /CKR_\w+/.exec(message)?.[0];
    const why = code === undefined ? message : (REMEDIES[code] ?? code);
    return new Error(`the root key "${key}" on the token "${token}" (pkcs11) cannot be used: ${why}`);
  };

  function open(lib: InstanceType<Pkcs11Package['PKCS11']>): { session: Handle; handle: Handle } {
    const slots = lib.C_GetSlotList(true).filter((slot) => lib.C_GetTokenInfo(slot).label.trim() === token);
    if (slots.length !== 1) throw new Error(`${slots.length} tokens have this label, instead of one: check ROOT_KEY_SLOT`);
    const session = lib.C_OpenSession(slots[0]!, native.CKF_SERIAL_SESSION);
    lib.C_Login(session, native.CKU_USER, pin);
    lib.C_FindObjectsInit(session, [
      { type: native.CKA_CLASS, value: native.CKO_SECRET_KEY },
      { type: native.CKA_LABEL, value: key },
    ]);
    const found = lib.C_FindObjects(session, 2);
    lib.C_FindObjectsFinal(session);
    if (found.length !== 1) throw new Error(`${found.length} secret keys have this label, instead of one: check ROOT_KEY_NAME`);
    return { session, handle: found[0]! };
  }

  const use = <T>(work: Parameters<typeof useAlone<T>>[0]): Promise<T> => {
    const run = last.then(() => useAlone(work));
    last = run.catch(() => {});
    return run;
  };

  async function useAlone<T>(work: (lib: InstanceType<Pkcs11Package['PKCS11']>, opened: ReturnType<typeof open>) => Promise<T>) {
    const lib = new native.PKCS11();
    try {
      // A missing library would end the process on some systems.
      statSync(module);
      lib.load(module);
      lib.C_Initialize();
      let isSilent = false;
      try {
        return await work(lib, open(lib));
      } catch (error) {
        isSilent = (error as Error).message === SILENT;
        throw error;
      } finally {
        // The end of a library waits for its calls, and would hold the whole process.
        if (!isSilent) {
          lib.C_Finalize();
          lib.close();
        }
      }
    } catch (error) {
      throw failed(error);
    }
  }

  const gcm = (iv: Buffer, aad: Buffer): Mechanism => ({
    mechanism: native.CKM_AES_GCM,
    parameter: { type: native.CK_PARAMS_AES_GCM, iv, aad, ivBits: NONCE * 8, tagBits: TAG * 8 },
  });

  return {
    id: `pkcs11:${token}/${key}`,
    wrap: (plain, aad) =>
      use(async (lib, { session, handle }) => {
        const nonce = random(NONCE);
        lib.C_EncryptInit(session, gcm(nonce, aad), handle);
        const sealed = await within(lib.C_EncryptAsync(session, plain, Buffer.alloc(plain.length + TAG)));
        return Buffer.concat([nonce, sealed]);
      }),
    unwrap: (wrapped, aad) =>
      use(async (lib, { session, handle }) => {
        lib.C_DecryptInit(session, gcm(wrapped.subarray(0, NONCE), aad), handle);
        return within(lib.C_DecryptAsync(session, wrapped.subarray(NONCE), Buffer.alloc(wrapped.length)));
      }),
  };
}
