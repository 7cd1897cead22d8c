import { LRUCache } from 'lru-cache';
import type { Judgement, LockoutGuard } from '../domain/lockout.ts';
import type { Busy, Disconnected, Resting } from '../domain/outcome.ts';
import type { Held, NotConnected, Secret } from '../domain/secret.ts';

export type OwnAccount = Held | NotConnected;

/** The vault's credentials for the NAC, as values of the `Authorization` header. */
export type AccountVault = {
  service(): { credential: Secret; since: number };
  /** The person's own account. */
  basic(person: string): Promise<OwnAccount>;
  /** Forgets a person's account that was refused. */
  dropRefused(person: string, since: number): Promise<void>;
};

type CallRequest<T> = {
  /** Calls for the same in flight are shared, if their credentials are the same too. */
  subject: string;
  person: string;
  own: OwnAccount;
  /** Whether an answer can do without the call. */
  isOptional?: boolean;
  /** Whether the call is made only if a slot is free, so that no request waits behind it. */
  needsFreeSlot?: boolean;
  call(authorization: Secret): Promise<T>;
  /** The verdict of an outcome on the account: a refused one rests, or is forgotten if it is a person's. */
  judge(outcome: T): Judgement;
};

/** Not asked. `forgotten`: the NAC refused the person's account while the request waited. */
export type NotAsked = { kind: 'forgotten' } | Disconnected | Resting | Busy;

export const BUSY: Busy = { kind: 'busy' };

/** The calls to the NAC: they share its slots and the lockout of the service account. */
export class Calls {
  readonly slots: Slots;
  readonly #vault: AccountVault;
  readonly #lockout: LockoutGuard;
  /** People's own accounts: those that the NAC accepted, and the calls that go alone. */
  readonly #accepted = new LRUCache<string, true>({ max: 10_000 });
  readonly #alone = new Map<string, Promise<void>>();
  readonly #inFlight = new Map<string, { slot: Slot; outcome: Promise<unknown> }>();

  constructor(vault: AccountVault, lockout: LockoutGuard, concurrency: number) {
    this.#vault = vault;
    this.#lockout = lockout;
    this.slots = new Slots(concurrency);
  }

  /** Makes a call in its turn, or joins an equal one in flight. A shared call has the best of its askers' turns. */
  callOrShare<T>(request: CallRequest<T>): Promise<T | NotAsked> {
    const { subject, person, own, isOptional, needsFreeSlot } = request;
    const account = own.kind === 'held' ? `${person} ${own.since}` : String(this.#vault.service().since);
    const key = `${subject} ${account}`;
    const shared = this.#inFlight.get(key);
    if (shared) {
      this.slots.join(shared.slot, person);
      return shared.outcome as Promise<T | NotAsked>;
    }
    const ahead = this.#alone.get(account);
    if (ahead) return ahead.then(() => this.callOrShare(request));
    const isBusy = needsFreeSlot && !this.slots.hasFree();
    const slot = isBusy ? undefined : this.slots.request(person, isOptional);
    if (slot === undefined) return Promise.resolve(BUSY);
    const outcome = this.#perform(key, slot, request);
    this.#inFlight.set(key, { slot, outcome });
    if (own.kind === 'held' && !this.#accepted.has(account)) this.#goAlone(account, outcome);
    return outcome;
  }

  /** As with the bot's password, one call goes alone until the NAC accepted the account: several refusals at once could lock it. */
  #goAlone(account: string, outcome: Promise<unknown>): void {
    const end = () => void this.#alone.delete(account);
    this.#alone.set(account, outcome.then(end, end));
  }

  /** Waits for the slot, then calls. The lockout comes behind the slot: a call that waited must not follow a refused call. */
  async #perform<T>(key: string, { started }: Slot, request: CallRequest<T>): Promise<T | NotAsked> {
    if (started) await started;
    try {
      if (request.own.kind === 'held') return await this.#callAsPerson(request.own, request);
      const use = await this.#lockout.begin();
      if (use.kind === 'resting') return use;
      let judgement: Judgement = 'unknown';
      try {
        const outcome = await request.call(this.#vault.service().credential);
        judgement = request.judge(outcome);
        return outcome;
      } finally {
        this.#lockout.end(use, judgement);
      }
    } finally {
      this.slots.release();
      this.#inFlight.delete(key);
    }
  }

  async #callAsPerson<T>(own: Held, { person, call, judge }: CallRequest<T>): Promise<T | NotAsked> {
    // The account is read again with its slot: it may have been refused, and forgotten, while this request waited.
    const read = await this.#vault.basic(person);
    const present = read.kind === 'not connected' && read.unknown ? own : read;
    if (present.kind !== 'held') return { kind: present.refused ? 'forgotten' : 'disconnected' };
    const outcome = await call(present.credential);
    const judgement = judge(outcome);
    if (judgement === 'accepted') this.#accepted.set(`${person} ${present.since}`, true);
    if (judgement === 'refused') await this.#vault.dropRefused(person, present.since);
    return outcome;
  }
}

/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `turn`: 0 once it has started. `started`: undefined if it did not wait. */
export type Slot = {
  isOptional: boolean;
  turn: number;
  started: Promise<void> | undefined;
  start(): void;
};

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. Questions start before optional calls. Those that wait start
 * in turn by person, so that many calls of one person never hold up another's; each person's start in the order asked.
 */
export class Slots {
  readonly #limit: number;
  readonly #waiting: Slot[] = [];
  /** The last turn of each person's calls that wait. */
  readonly #turns = new Map<string, number>();
  /** The turn of the last call that started. */
  #turn = 0;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Asks for a slot; undefined if too many calls wait. The call may begin once `started` has resolved, if it is a promise. A
   * call that has begun must release its slot.
   */
  request(person: string, isOptional = false): Slot | undefined {
    if (this.#running < this.#limit) {
      this.#running++;
      return { isOptional, turn: 0, started: undefined, start() {} };
    }
    if (this.#waiting.length >= MAX_WAITING) return undefined;
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const slot = { isOptional, turn: Number.POSITIVE_INFINITY, started, start };
    this.#waiting.push(slot);
    this.join(slot, person);
    return slot;
  }

  /** Lets a waiting call start in this person's turn, if that comes first. */
  join(slot: Slot, person: string): void {
    const key = `${slot.isOptional} ${person}`;
    const turn = Math.max(this.#turn, this.#turns.get(key) ?? 0) + 1;
    if (turn >= slot.turn) return;
    slot.turn = turn;
    this.#turns.set(key, turn);
  }

  release(): void {
    const next = this.#waiting.reduce<Slot | undefined>(earlier, undefined);
    if (next === undefined) {
      this.#running--;
      this.#turns.clear();
      this.#turn = 0;
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#turn = Math.max(this.#turn, next.turn);
    next.turn = 0;
    next.start();
  }

  /** Makes a call in its turn; undefined if too many calls wait. Throws what the call throws. */
  async run<T>(person: string, call: () => Promise<T>): Promise<T | undefined> {
    const slot = this.request(person);
    if (slot === undefined) return undefined;
    await slot.started;
    try {
      return await call();
    } finally {
      this.release();
    }
  }

  hasFree(): boolean {
    return this.#running < this.#limit;
  }

  counts() {
    return { running: this.#running, waiting: this.#waiting.length };
  }
}

function earlier(one: Slot | undefined, other: Slot): Slot {
  if (one === undefined) return other;
  const isBefore = one.isOptional === other.isOptional ? other.turn < one.turn : one.isOptional;
  return isBefore ? other : one;
}
