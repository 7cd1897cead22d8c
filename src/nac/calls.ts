import { LRUCache } from 'lru-cache';
import { type Judgement, judgementOf, type LockoutGuard } from '../domain/lockout.ts';
import type { Dropped, Resting } from '../domain/outcome.ts';
import type { Held, NotConnected, Secret } from '../domain/secret.ts';
import { settlesWithin } from '../domain/timing.ts';

export type OwnAccount = Held | NotConnected;

/** The vault's credentials for the NAC, as values of the `Authorization` header. */
export type AccountVault = {
  service(): Secret;
  basic(person: string): Promise<OwnAccount>;
  dropRefused(person: string, since: number): Promise<void>;
};

type CallRequest<T> = {
  /** Calls for the same in flight are shared, if their credentials are the same too. */
  subject: string;
  person: string;
  own: OwnAccount;
  /** The kind of its outcome is the verdict on the account: a refused one rests, or is forgotten if it is a person's. */
  call(authorization: Secret): Promise<T>;
};

/** The answer to a call that an answer can do without. */
export type OptionalAnswer<T> = { kind: 'read'; value: T } | { kind: 'refused' | 'failed' };

/** Not asked. `refused`: the NAC refused the person's account while the request waited. */
export type NotAsked = { kind: 'refused' } | Dropped | Resting;

export const BUSY: Dropped = { kind: 'busy' };
/** The longest that an answer waits for an optional call (milliseconds). */
export const OPTIONAL_MS = 2500;

type CallsParts = { vault: AccountVault; lockout: LockoutGuard; concurrency: number; steady: () => number };

/** The calls to the NAC: they share its slots and the lockout of the service account. */
export class Calls {
  readonly slots: Slots;
  readonly #parts: CallsParts;
  /** The NAC's verdicts on people's own accounts, and the calls under them that go alone. */
  readonly #judged = new LRUCache<string, Judgement>({ max: 10_000 });
  readonly #alone = new Map<string, Promise<void>>();
  readonly #inFlight = new Map<string, { slot: Slot; outcome: Promise<unknown> }>();

  constructor(parts: CallsParts) {
    this.#parts = parts;
    this.slots = new Slots(parts.concurrency);
  }

  /** Makes a call in its turn, or joins an equal one in flight. A shared call has the best of its askers' turns. */
  callOrShare<T extends { kind: string }>(
    request: CallRequest<T>,
    isOptional = false,
  ): Promise<T | NotAsked> {
    const { subject, person, own } = request;
    const account = own.kind === 'held' ? `${person} ${own.since}` : this.#parts.vault.service().reveal();
    const key = `${subject} ${account}`;
    const shared = this.#inFlight.get(key);
    if (shared) {
      if (!isOptional) this.slots.join(shared.slot, person);
      return shared.outcome as Promise<T | NotAsked>;
    }
    const ahead = this.#alone.get(account);
    if (ahead) return ahead.then(() => this.callOrShare(request, isOptional));
    const slot = this.slots.request(person, isOptional);
    if (slot === undefined) return Promise.resolve(BUSY);
    const outcome = this.#perform(key, slot, request);
    this.#inFlight.set(key, { slot, outcome });
    // As with the bot's password, one call goes alone until the NAC accepted the account: several refusals could lock it.
    if (own.kind === 'held' && this.#judged.get(account) !== 'accepted') {
      const end = () => void this.#alone.delete(account);
      this.#alone.set(account, outcome.then(end, end));
    }
    return outcome;
  }

  /** Makes a call behind all questions. Undefined if it failed, or did not end in time: then it need not begin any more. */
  async optional<T>({ call, ...request }: CallRequest<OptionalAnswer<T>>): Promise<T | undefined> {
    const until = this.#parts.steady() + OPTIONAL_MS;
    const late = { kind: 'late' } as const;
    const inTime = async (authorization: Secret) =>
      this.#parts.steady() < until ? call(authorization) : late;
    const asking = this.callOrShare({ ...request, call: inTime }, true);
    const answer = (await settlesWithin(asking, OPTIONAL_MS)) ? await asking : late;
    return answer.kind === 'read' ? answer.value : undefined;
  }

  /** Waits for the slot, then calls. The lockout comes behind the slot: a call that waited must not follow a refused call. */
  async #perform<T extends { kind: string }>(key: string, slot: Slot, request: CallRequest<T>) {
    const { vault, lockout } = this.#parts;
    await slot.started;
    try {
      if (request.own.kind === 'held') return await this.#callAsPerson(request.own, request);
      return await lockout.run(request.call, () => vault.service());
    } finally {
      this.slots.release();
      this.#inFlight.delete(key);
    }
  }

  async #callAsPerson<T extends { kind: string }>(own: Held, { person, call }: CallRequest<T>) {
    const { vault } = this.#parts;
    // The account is read again with its slot: it may have been refused, and forgotten, while this request waited.
    const read = await vault.basic(person);
    const { credential, since } = read.kind === 'held' ? read : own;
    const account = `${person} ${since}`;
    if (this.#judged.get(account) === 'refused') return { kind: 'refused' } as const;
    if (read.kind === 'not connected' && !read.unknown) return { kind: 'disconnected' } as const;
    const outcome = await call(credential);
    const judgement = judgementOf(outcome);
    if (judgement !== 'unknown') this.#judged.set(account, judgement);
    if (judgement === 'refused') await vault.dropRefused(person, since);
    return outcome;
  }
}

/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `turn`: infinite for an optional call. */
type Slot = { turn: number; started: Promise<void>; start(): void };

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. Questions that wait start in turn by person, so that many of
 * one person never hold up another's; each person's start in the order asked. Optional calls start behind all of them.
 */
export class Slots {
  readonly #limit: number;
  readonly #waiting: Slot[] = [];
  /** The turn of each person's last question. */
  readonly #turns = new Map<string, number>();
  /** The turn of the last start. */
  #turn = 0;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Asks for a slot; undefined if too many calls wait. Once `started` has resolved, the call may begin, and must release it. */
  request(person: string, isOptional = false): Slot | undefined {
    if (this.#waiting.length >= MAX_WAITING) return undefined;
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const slot = { turn: isOptional ? Number.POSITIVE_INFINITY : this.#nextTurn(person), started, start };
    if (this.#running < this.#limit) {
      this.#running++;
      start();
    } else this.#waiting.push(slot);
    return slot;
  }

  /** Lets a waiting call start in this person's turn, if that comes first. */
  join(slot: Slot, person: string): void {
    slot.turn = Math.min(slot.turn, this.#nextTurn(person));
  }

  /** Behind the person's last turn, and behind those that have started. */
  #nextTurn(person: string): number {
    const turn = 1 + Math.max(this.#turn, this.#turns.get(person) ?? 0);
    this.#turns.set(person, turn);
    return turn;
  }

  release(): void {
    const turns = this.#waiting.map(({ turn }) => turn);
    const [slot] = this.#waiting.splice(turns.indexOf(Math.min(...turns)), 1);
    if (slot === undefined) {
      this.#running--;
      this.#turns.clear();
      return;
    }
    if (slot.turn < Number.POSITIVE_INFINITY) this.#turn = slot.turn;
    slot.start();
  }

  counts() {
    return { running: this.#running, waiting: this.#waiting.length };
  }
}
