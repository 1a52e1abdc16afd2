import type { Clock } from '../../base/clock.ts';
import type { Endpoint, RequestOptions } from './endpoint.ts';
import { failed, headsOf, isBarred, rank, worked } from './health.ts';
import { EndpointError, type EndpointState, type Log, type LookUp, NoNodeError, RpcError } from './types.ts';

/** A question, and the reader of its result. `read` throws if the result is malformed. */
export type Question<T> = {
  method: string;
  params: readonly unknown[];
  read(result: unknown): T;
  options?: RequestOptions;
  /** Whether this error is an answer, so that no other endpoint is asked. */
  isFinal?(error: RpcError): boolean;
  /** Whether the endpoint may answer otherwise later. A permanent error counts only if every endpoint returns one. */
  mayPass?(error: RpcError): boolean;
};

/** Asks one endpoint. Throws EndpointError, or RpcError. */
export type AskOne = <T>(question: Question<T>) => Promise<T>;

export type Answered<T> = { endpoint: string; value: T } | { endpoint: string; error: EndpointError | RpcError };

export type Broadcast<T> = { answers: readonly Answered<T>[]; retryAfterMs: number | undefined };

/** The endpoints of one network. */
export type Endpoints = {
  readonly caip2: string;
  readonly count: number;
  /** The answer of the best endpoint that gives one. Throws RpcError, or NoNodeError. */
  ask<T>(question: Question<T>): Promise<T>;
  /**
   * One endpoint does all of the work, because its questions are about one state. If it fails, the next one does all of it. Each
   * has half of the time that is left, the last one all. Throws RpcError, or NoNodeError.
   */
  askOne<T>(work: (ask: AskOne) => Promise<T>, milliseconds: number): Promise<T>;
  /** The answers of all usable endpoints that answer within a moment after the first: at least one. Throws RpcError, or NoNodeError. */
  askAll<T>(question: Question<T>): Promise<T[]>;
  /** Asks all, and returns after the first answer that is enough: the others go on. */
  broadcast<T>(question: Question<T>, isEnough: (answer: Answered<T>) => boolean): Promise<Broadcast<T>>;
  /** Returns a value if one of the endpoints has it. */
  find<T>(question: Question<T | undefined>): Promise<LookUp<T>>;
  /**
   * Asks endpoints in the background for their network if they have not told it, unless they rest. Returns the names of those known
   * to be of another network.
   */
  look(): string[];
  /** Asks each for its latest block, now. */
  status(): Promise<EndpointState[]>;
  close(): void;
};

/** The differences between kinds of chains. */
export type Dialect = {
  /** Asks for the endpoint's network. Throws EndpointError for another network; returns a warning if there is one. */
  introduce(endpoint: Endpoint): Promise<string | undefined>;
  head(endpoint: Endpoint): Promise<bigint>;
};

type Parts = {
  caip2: string;
  endpoints: readonly Endpoint[];
  dialect: Dialect;
  elapsed: Clock;
  log: Log;
  /** Called each time that an endpoint, by its name, does not answer. */
  troubled?: (endpoint: string, trouble: EndpointError['trouble']) => void;
};

/** How long slow endpoints are waited for once another has answered. */
const GRACE_MS = 1500;
/** No further endpoint is asked after this time. */
const ASK_MS = 20_000;
/** The greatest age of the endpoints’ known latest blocks while the network is used. */
const HEADS_MS = 4000;
/** How often the log names the trouble of one endpoint: some troubles come and go all day. */
const TELLS_MS = 60_000;

/** All results, or those that are there `ms` after the first that counts. */
async function gathered<T>(work: readonly Promise<T>[], counts: (value: T) => boolean, ms: number): Promise<T[]> {
  const done: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    if (work.length === 0) resolve();
    for (const one of work)
      void one.then((value) => {
        done.push(value);
        if (done.length === work.length) resolve();
        else if (counts(value)) timer ??= setTimeout(resolve, ms);
      });
  });
  clearTimeout(timer);
  return [...done];
}

const isOfAnother = ({ health }: Endpoint): boolean => health.trouble === 'wrong chain';

/** Why an endpoint could not be asked for its network. The question that was to follow was never sent. */
function notIntroduced({ name }: Endpoint, error: unknown): EndpointError {
  if (!(error instanceof EndpointError)) return new EndpointError(name, 'unavailable', 'did not name its network');
  return error.trouble === 'no answer'
    ? new EndpointError(name, 'unreachable', error.message.slice(name.length + 2), error.retryAfterMs)
    : error;
}

export function endpointsOf({ caip2, endpoints, dialect, elapsed, log, troubled }: Parts): Endpoints {
  const heads = headsOf(elapsed);
  const introduced = new Map<Endpoint, Promise<void>>();
  let isClosed = false;
  let headsFrom = Number.NEGATIVE_INFINITY;

  function note(endpoint: Endpoint, error: EndpointError): void {
    if (isClosed) return;
    const { health, name } = endpoint;
    const now = elapsed.now();
    const isNew = health.trouble !== error.trouble;
    troubled?.(name, error.trouble);
    failed(health, error.trouble, error.retryAfterMs, now);
    // It may come back as another network.
    if (error.trouble === 'no answer' || error.trouble === 'unreachable') introduced.delete(endpoint);
    if (!isNew || (health.told !== undefined && now - health.told.at < TELLS_MS)) return;
    health.told = { at: now, isOpen: true };
    const fields = { network: caip2, endpoint: name, trouble: error.trouble, reason: error.message };
    if (error.trouble === 'wrong chain')
      log.error(fields, 'an RPC endpoint belongs to another network and is not used: correct its setting');
    else if (endpoints.some((other) => other !== endpoint && !isOfAnother(other)))
      log.warn(fields, 'an RPC endpoint does not answer: other endpoints are used first');
    else log.warn(fields, 'an RPC endpoint does not answer, and its network has no other endpoint');
  }

  function answered({ health, name }: Endpoint): void {
    worked(health);
    if (!health.told?.isOpen) return;
    health.told.isOpen = false;
    log.info({ network: caip2, endpoint: name }, 'an RPC endpoint answers again');
  }

  function introduction(endpoint: Endpoint): Promise<void> {
    const known = introduced.get(endpoint);
    if (known) return known;
    const made = dialect.introduce(endpoint).then(
      (warning) => {
        if (warning !== undefined) log.warn({ network: caip2, endpoint: endpoint.name }, warning);
      },
      (error) => {
        introduced.delete(endpoint);
        throw notIntroduced(endpoint, error);
      },
    );
    introduced.set(endpoint, made);
    return made;
  }

  /** The answer of one endpoint. Throws only EndpointError and RpcError. */
  async function from<T>(endpoint: Endpoint, { method, params, read, options }: Question<T>): Promise<T> {
    try {
      await introduction(endpoint);
      const result = await endpoint.request(method, params, options);
      try {
        const value = read(result);
        answered(endpoint);
        return value;
      } catch {
        throw new EndpointError(endpoint.name, 'no answer', `its answer to ${method} is invalid`);
      }
    } catch (error) {
      if (error instanceof RpcError) throw error;
      const known = error instanceof EndpointError ? error : new EndpointError(endpoint.name, 'no answer', 'no answer');
      note(endpoint, known);
      throw known;
    }
  }

  const settled = <T>(endpoint: Endpoint, question: Question<T>): Promise<Answered<T>> =>
    from(endpoint, question).then(
      (value) => ({ endpoint: endpoint.name, value }),
      (error) => ({ endpoint: endpoint.name, error }),
    );

  /** The work of one endpoint, within a time. */
  async function settledWork<T>(
    endpoint: Endpoint,
    work: (ask: AskOne) => Promise<T>,
    milliseconds: number,
  ): Promise<Answered<T>> {
    const control = new AbortController();
    const late = new EndpointError(endpoint.name, 'no answer', 'no answer in time');
    const timer = setTimeout(() => control.abort(late), milliseconds);
    const { signal } = control;
    // A new endpoint is asked for its network first, which has a time of its own.
    const outOfTime = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(late)));
    const ask: AskOne = (question) => from(endpoint, { ...question, options: { ...question.options, signal } });
    try {
      return { endpoint: endpoint.name, value: await Promise.race([work(ask), outOfTime]) };
    } catch (error) {
      if (error instanceof EndpointError || error instanceof RpcError) return { endpoint: endpoint.name, error };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function refreshHead(endpoint: Endpoint): Promise<void> {
    try {
      await introduction(endpoint);
      heads.note(endpoint.health, await dialect.head(endpoint));
      answered(endpoint);
    } catch (error) {
      if (error instanceof EndpointError) note(endpoint, error);
    }
  }

  /** The endpoints that may be asked, the best first. Endpoints that asked for a rest are left alone. */
  function usable(): Endpoint[] {
    const now = elapsed.now();
    const free = endpoints.filter(({ health }) => !isBarred(health, now));
    if (endpoints.length > 1 && now - headsFrom >= HEADS_MS) {
      headsFrom = now;
      for (const endpoint of free) void refreshHead(endpoint);
    }
    const ranked = free.map((endpoint) => ({ endpoint, rank: rank(endpoint.health, heads, now) }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ endpoint }) => endpoint);
  }

  /** The time until the first limited endpoint may be asked, if all endpoints of this network are limited. */
  function restLeft(): number | undefined {
    const now = elapsed.now();
    const ours = endpoints.filter((endpoint) => !isOfAnother(endpoint));
    if (ours.length === 0 || !ours.every(({ health }) => isBarred(health, now))) return undefined;
    return Math.ceil(Math.min(...ours.map(({ health }) => health.restsUntil - now)));
  }

  function none(failures: readonly EndpointError[]): NoNodeError {
    const now = elapsed.now();
    const barred = endpoints.filter(({ health }) => isBarred(health, now));
    const told = barred.map(({ name, health }) => new EndpointError(name, health.trouble!, health.trouble!));
    const all = [...failures, ...told.filter(({ endpoint }) => !failures.some((failure) => failure.endpoint === endpoint))];
    return new NoNodeError(caip2, all, { retryAfterMs: restLeft(), isOfAnother: endpoints.every(isOfAnother) });
  }

  /** All answers failed. A node's temporary error says more than that others do not answer. */
  function worst(errors: readonly (EndpointError | RpcError)[], mayPass = (_error: RpcError) => true): RpcError | NoNodeError {
    const said = errors.filter((error) => error instanceof RpcError);
    const ours = endpoints.filter((endpoint) => !isOfAnother(endpoint));
    const counts = said.find(mayPass) ?? (said.length >= ours.length ? said[0] : undefined);
    return counts ?? none(errors.filter((error) => error instanceof EndpointError));
  }

  const failuresOf = <T>(answers: readonly Answered<T>[]) =>
    answers.flatMap((answer) => ('error' in answer ? [answer.error] : []));
  const valuesOf = <T>(answers: readonly Answered<T>[]) => answers.flatMap((answer) => ('value' in answer ? [answer.value] : []));

  return {
    caip2,
    count: endpoints.length,
    async ask(question) {
      const errors: (EndpointError | RpcError)[] = [];
      const began = elapsed.now();
      for (const endpoint of usable()) {
        if (elapsed.now() - began > ASK_MS) break;
        const answer = await settled(endpoint, question);
        if ('value' in answer) return answer.value;
        errors.push(answer.error);
        if (answer.error instanceof RpcError && question.isFinal?.(answer.error)) break;
      }
      throw worst(errors, question.mayPass);
    },
    async askOne(work, milliseconds) {
      const errors: (EndpointError | RpcError)[] = [];
      const until = elapsed.now() + milliseconds;
      const asked = usable();
      for (const [i, endpoint] of asked.entries()) {
        const left = until - elapsed.now();
        if (left <= 0) break;
        const answer = await settledWork(endpoint, work, i === asked.length - 1 ? left : left / 2);
        if ('value' in answer) return answer.value;
        errors.push(answer.error);
      }
      throw worst(errors);
    },
    async askAll(question) {
      const asked = usable().map((endpoint) => settled(endpoint, question));
      const answers = await gathered(asked, (answer) => 'value' in answer, GRACE_MS);
      const values = valuesOf(answers);
      if (values.length === 0) throw worst(failuresOf(answers));
      return values;
    },
    async broadcast(question, isEnough) {
      const answers = await gathered(
        usable().map((endpoint) => settled(endpoint, question)),
        isEnough,
        0,
      );
      return { answers, retryAfterMs: restLeft() };
    },
    async find<T>(question: Question<T | undefined>): Promise<LookUp<T>> {
      const [first, ...others] = usable();
      if (first === undefined) throw none([]);
      const answers: Answered<T | undefined>[] = [await settled(first, question)];
      const has = (answer: Answered<T | undefined>) => 'value' in answer && answer.value !== undefined;
      if (!answers.some(has))
        answers.push(
          ...(await gathered(
            others.map((other) => settled(other, question)),
            has,
            0,
          )),
        );
      const given = valuesOf(answers);
      if (given.length === 0) throw worst(failuresOf(answers));
      return { value: given.find((value) => value !== undefined), answered: given.length, endpoints: endpoints.length };
    },
    look() {
      for (const endpoint of endpoints)
        if (!introduced.has(endpoint) && endpoint.health.restsUntil <= elapsed.now()) void refreshHead(endpoint);
      return endpoints.filter(isOfAnother).map(({ name }) => name);
    },
    async status() {
      const now = elapsed.now();
      headsFrom = now;
      await Promise.all(endpoints.filter(({ health }) => !isBarred(health, now)).map(refreshHead));
      return endpoints.map(({ name, health }) => ({
        endpoint: name,
        head: health.head?.number,
        lags: heads.lags(health),
        trouble: health.trouble,
      }));
    },
    close() {
      isClosed = true;
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}
