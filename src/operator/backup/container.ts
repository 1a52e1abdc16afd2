import { open } from 'node:fs/promises';
import { ReadableStream as NodeStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { CommandFailed } from '../../base/command-failed.ts';

/** How a copy is encrypted: by a passphrase, or to an age public key. */
export type Lock = { passphrase: string } | { recipient: string };

/** How it is opened: by the passphrase, or by age private keys. */
export type Unlock = { passphrase: string } | { identities: readonly string[] };

type Chunks = AsyncIterable<Uint8Array>;

/** The same class, by the name of its type in age-encryption. */
const streamOf = (chunks: Chunks) => NodeStream.from(chunks) as unknown as ReadableStream<Uint8Array>;

/** The age file of a text. Throws if the recipient is none. */
export async function encrypted(lock: Lock, text: Chunks): Promise<Chunks> {
  const age = new Encrypter();
  if ('passphrase' in lock) age.setPassphrase(lock.passphrase);
  else age.addRecipient(lock.recipient);
  return age.encrypt(streamOf(text)) as unknown as Promise<NodeStream<Uint8Array>>;
}

/** The header of an age file ends with its MAC. A copy's is far shorter than this. */
const HEADER = { begin: 'age-encryption.org/v1\n', end: /\n--- [A-Za-z0-9+/]{43}\n/, longest: 2 ** 16 };

async function headerOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER.longest), 0, HEADER.longest, 0);
    const text = buffer.toString('latin1', 0, bytesRead);
    const end = HEADER.end.exec(text);
    if (!text.startsWith(HEADER.begin) || end === null)
      throw new CommandFailed(`${file} is no copy of countersign backup: it does not begin as an age file does`);
    return buffer.subarray(0, end.index + end[0].length);
  } finally {
    await handle.close();
  }
}

export type Container = {
  /** The size of the file. */
  readonly bytes: number;
  /** Its text, from the beginning. Throws at the first change of a byte, and at the end if the file is cut off. */
  text(): Chunks;
};

async function* contentOf(file: string, bytes: number): AsyncGenerator<Uint8Array> {
  const handle = await open(file);
  try {
    for (let at = 0; at < bytes; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(2 ** 16), 0, 2 ** 16, at);
      if (bytesRead === 0) throw new CommandFailed(`${file} became shorter while it was read`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

const NO_KEY = /^no identity matched/;

/** Opens the header. The passphrase is stretched once, however often the text is read. */
export async function opened(file: string, unlock: Unlock): Promise<Container> {
  const header = await headerOf(file);
  const age = new Decrypter();
  if ('passphrase' in unlock) age.addPassphrase(unlock.passphrase);
  else for (const identity of unlock.identities) age.addIdentity(identity);
  const fileKey = await age.decryptHeader(header).catch((error: Error) => {
    if (!NO_KEY.test(error.message)) throw new CommandFailed(`${file} is damaged: ${error.message}`);
    const given = 'passphrase' in unlock ? 'BACKUP_PASSPHRASE is not its passphrase' : 'it was encrypted to another key';
    throw new CommandFailed(`${file} does not open: ${given}, or its header is damaged`);
  });
  const handle = await open(file);
  const { size: bytes } = await handle.stat().finally(() => handle.close());
  return {
    bytes,
    async *text() {
      const again = new Decrypter();
      again.addIdentity({ unwrapFileKey: () => fileKey });
      try {
        yield* (await again.decrypt(streamOf(contentOf(file, bytes)))) as unknown as NodeStream<Uint8Array>;
      } catch (error) {
        if (error instanceof CommandFailed) throw error;
        throw new CommandFailed(`${file} is damaged or cut off: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}
