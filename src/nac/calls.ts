import type { Judgement, LockoutGuard } from '../domain/lockout.ts';
import type { Busy, Disconnected, Resting } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';

type Held = { kind: 'held'; credential: Secret; since: number };
type NotConnected = { kind: 'not connected'; refused?: true; unknown?: true };
type OwnAccount = Held | NotConnected;

/** The vault's credentials for the NAC, as values of the `Authorization` header. */
export type AccountVault = {
  service(): { credential: Secret; since: number };
  /** Whether this person can have an own account at all. */
  canConnect(person: string): boolean;
  basic(person: string): Promise<OwnAccount>;
  /** Forgets a person's account that was refused. */
  dropRefused(person: string, since: number): Promise<void>;
};

type CallParts = { vault: AccountVault; lockout: LockoutGuard; concurrency: number };

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

export const NOT_CONNECTED: NotConnected = { kind: 'not connected' };
export const BUSY: Busy = { kind: 'busy' };

/** The calls to the NAC: they share its slots and the lockout of the service account. */
export class Calls {
  readonly slots: Slots;
  readonly #vault: AccountVault;
  readonly #lockout: LockoutGuard;
  readonly #inFlight = new Map<string, { slot: Slot; outcome: Promise<unknown> }>();

  constructor({ vault, lockout, concurrency }: CallParts) {
    this.#vault = vault;
    this.#lockout = lockout;
    this.slots = new Slots(concurrency);
  }

  /** The person's own account. Reads no database where nobody, or not this person, can connect. */
  async ownAccount(person: string): Promise<OwnAccount> {
    return this.#vault.canConnect(person) ? this.#vault.basic(person) : NOT_CONNECTED;
  }

  /** Makes a call in its turn, or joins an equal one in flight. A shared call has the best of its askers' turns. */
  callOrShare<T>(request: CallRequest<T>): Promise<T | NotAsked> {
    const { subject, person, own, isOptional, needsFreeSlot } = request;
    const account = own.kind === 'held' ? `${person} ${own.since}` : this.#vault.service().since;
    const key = `${subject} ${account}`;
    const shared = this.#inFlight.get(key);
    if (shared) {
      this.slots.join(shared.slot, person);
      return shared.outcome as Promise<T | NotAsked>;
    }
    const isBusy = needsFreeSlot && !this.slots.hasFree();
    const slot = isBusy ? undefined : this.slots.request(person, isOptional);
    if (slot === undefined) return Promise.resolve(BUSY);
    const outcome = this.#perform(key, slot, request);
    this.#inFlight.set(key, { slot, outcome });
    return outcome;
  }

  /** Waits for the slot, then calls. The lockout comes behind the slot: a call that waited must not follow a refused call. */
  async #perform<T>(key: string, { started }: Slot, request: CallRequest<T>): Promise<T | NotAsked> {
    if (started) await started;
    try {
      if (request.own.kind === 'held') return await this.#callAsPerson(request.own, request);
      const admitted = await this.#lockout.begin();
      if (admitted.kind === 'resting') return admitted;
      let judgement: Judgement = 'unknown';
      try {
        const outcome = await request.call(this.#vault.service().credential);
        judgement = request.judge(outcome);
        return outcome;
      } finally {
        admitted.end(judgement);
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
    if (judge(outcome) === 'refused') await this.#vault.dropRefused(person, present.since);
    return outcome;
  }
}

/** The most calls that wait for a slot. The limits per minute keep the number well below. */
const MAX_WAITING = 5000;

/** A call that has a slot, or waits for one. `persons`: in whose turns it may start. `started`: undefined if it did not wait. */
export type Slot = {
  isStarted: boolean;
  isOptional: boolean;
  persons: Set<string>;
  started: Promise<void> | undefined;
  start(): void;
};

/** The slots that wait, by person. */
type Queues = Map<string, Slot[]>;

/**
 * Bounds the calls in flight, because the NAC is slow and fragile. Questions start before optional calls. Those that wait start
 * in turn by person, so that many calls of one person never hold up another's; each person's start in the order asked.
 */
export class Slots {
  readonly #limit: number;
  readonly #questions: Queues = new Map();
  readonly #optional: Queues = new Map();
  #running = 0;
  #waiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Asks for a slot; undefined if too many calls wait. The call may begin once `started` has resolved, if it is a promise. A
   * call that has begun must release its slot.
   */
  request(person: string, isOptional = false): Slot | undefined {
    const persons = new Set<string>();
    if (this.#running < this.#limit) {
      this.#running++;
      return { isStarted: true, isOptional, persons, started: undefined, start() {} };
    }
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting++;
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const slot = { isStarted: false, isOptional, persons, started, start };
    this.join(slot, person);
    return slot;
  }

  /** Lets a waiting call start in this person's turn too, if that comes first. */
  join(slot: Slot, person: string): void {
    if (slot.isStarted || slot.persons.has(person)) return;
    slot.persons.add(person);
    const queues = slot.isOptional ? this.#optional : this.#questions;
    const queue = queues.get(person);
    if (queue) queue.push(slot);
    else queues.set(person, [slot]);
  }

  release(): void {
    const next = takeNext(this.#questions) ?? takeNext(this.#optional);
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting--;
    next.isStarted = true;
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
    return { running: this.#running, waiting: this.#waiting };
  }
}

/** Takes the next call in turn. A call that another person's turn has started costs nobody a turn. */
function takeNext(queues: Queues): Slot | undefined {
  for (const [person, queue] of queues) {
    const next = queue.findIndex(({ isStarted }) => !isStarted);
    const rest = next === -1 ? [] : queue.slice(next + 1);
    queues.delete(person);
    if (rest.length > 0) queues.set(person, rest); // Behind everyone else who waits.
    if (next !== -1) return queue[next];
  }
  return undefined;
}
