import { MOST_ATTEMPTS } from '../domain/attempts.ts';
import { admit, begin, CLOSED, EVERYBODY, end, type Health, type Question } from '../domain/breaker.ts';
import { type DeviceAddress, isMacAddress } from '../domain/device-address.ts';
import type { Judgement } from '../domain/lockout.ts';
import { formatMacAddress, type MacAddress, type MacForm } from '../domain/mac-address.ts';
import { completeTest, extractTokens, rootElement, type TokenTest } from '../domain/nac-body.ts';
import type { Lookup, LookupOutcome, Paused, SessionOutcome, Whose } from '../domain/outcome.ts';
import { readRecord, withoutIgnored } from '../domain/record.ts';
import type { Secret } from '../domain/secret.ts';
import { type HttpOutcome, targetUnder, type Upstream } from '../http.ts';
import type { Accounts } from './accounts.ts';

/**
 * A path under the base address of one of the NAC's nodes. This file alone makes them, because some GETs of Cisco ISE change
 * the network (`CoA/...`): `test/nac/session-call.test.ts` lists every path.
 */
export type NacPath = string & { readonly kind: unique symbol };

/** No device has this address, so that every NAC must say "no session". */
export const NOBODY = '00:00:00:00:00:00' as MacAddress;

const XML = 'application/xml';
const under = (rest: string) => `/admin/API/mnt/${rest}` as NacPath;

/** The session of one device. `Session/IPAddress` would be the switch's own address. */
export function sessionPath(address: DeviceAddress, form: MacForm): NacPath {
  if (!isMacAddress(address)) return under(`Session/EndPointIPAddress/${address}`);
  return under(`Session/MACAddress/${formatMacAddress(address, form)}`);
}

/** The last authentications of one device within 24 hours (86,400 s), passed and failed. */
export function attemptsPath(address: MacAddress, form: MacForm): NacPath {
  return under(`AuthStatus/MACAddress/${formatMacAddress(address, form)}/86400/${MOST_ATTEMPTS}/All`);
}

/** Which release a node runs, and whether it keeps sessions. */
export const versionPath = () => under('Version');

/** A device's own record, on the administration node of Cisco ISE 3.1 and newer. */
export const endpointPath = (address: MacAddress) => `/api/v1/endpoint/${address}` as NacPath;

/** The same on an older node, or where the newer interface is off. */
export const ersEndpointPath = (address: MacAddress) => `/ers/config/endpoint/name/${address}` as NacPath;

/** @param id letters, digits and hyphens alone */
export const groupPath = (id: string) => `/ers/config/endpointgroup/${id}` as NacPath;

/** Asks a node of the NAC for one path, with GET alone. @param authorization the `Authorization` header's value */
export function get(upstream: Upstream, base: URL, path: NacPath, authorization: Secret, accept = XML) {
  return upstream.call({
    method: 'GET',
    url: targetUnder(base, path),
    headers: { authorization: authorization.reveal(), accept },
  });
}

export type SessionCallOptions = {
  upstream: Upstream;
  /** One or two base addresses, the preferred first. */
  addresses: readonly URL[];
  macForm: MacForm;
  /** Whether a token is neither posted nor shown. */
  isIgnored: TokenTest;
  /** A clock that is never set back. */
  now: () => number;
};

/**
 * Endpoint 3: {@link sessionPath} with HTTP Basic. Asks the second address if the first is down (no connection, no trust,
 * no whole answer in time, or a gateway's 502, 503 or 504) or paused by its breaker. If both are, returns the first fault
 * that is not a pause, else the first pause.
 */
export function createSessionCall({ upstream, addresses, macForm, isIgnored, now }: SessionCallOptions) {
  const nodes = addresses.map((base) => ({ base, breaker: createBreaker(now) }));
  let answeredBy: URL | undefined;

  return {
    /** Asks for one device's session. @param asker who is paused alone if the NAC answers only to others */
    async call(address: DeviceAddress, authorization: Secret, asker: string) {
      const faults: Array<SessionOutcome | Paused> = [];
      for (const { base, breaker } of nodes) {
        const answer = await breaker.guard({ asker, subject: address }, async () => {
          const wire = await get(upstream, base, sessionPath(address, macForm), authorization);
          return { kind: 'asked', wire, session: readSessionOutcome(wire, isIgnored) };
        });
        if (answer.kind === 'asked' && !isDown(answer)) {
          answeredBy = base;
          return answer.session;
        }
        faults.push(answer.kind === 'asked' ? answer.session : answer);
      }
      const [first = NO_ADDRESS] = faults;
      return faults.find(({ kind }) => kind !== 'paused') ?? first;
    },
    /** Until when every address is paused, by the steady clock. */
    pausedUntil(): number | undefined {
      const untils = nodes.flatMap(({ breaker }) => breaker.until() ?? []);
      return untils.length < nodes.length ? undefined : Math.min(...untils);
    },
    /** The address that answered last; undefined before the first answer. */
    answeredBy: () => answeredBy,
  };
}

type SessionCall = ReturnType<typeof createSessionCall>['call'];

export function createLookups(session: SessionCall, accounts: Pick<Accounts, 'ask' | 'restsUntil'>): Lookup {
  return async (address, person) => {
    const asked = await accounts.ask<SessionOutcome | Paused>({
      key: address,
      person,
      call: (authorization) => session(address, authorization, person),
      judge,
    });
    if (asked.kind === 'forgotten') return { kind: 'refused', whose: 'person' };
    return asked.kind === 'asked' ? outcomeFor(asked.whose, asked.outcome, accounts.restsUntil) : asked;
  };
}

/** Tries an account once, with a question about no device. */
export function createAccountTrial(session: SessionCall) {
  return async (authorization: Secret, person: string): Promise<Judgement | 'forbidden'> => {
    const outcome = await session(NOBODY, authorization, person);
    return outcome.kind === 'forbidden' ? 'forbidden' : judge(outcome);
  };
}

function outcomeFor(
  whose: Whose,
  outcome: SessionOutcome | Paused,
  restsUntil: Accounts['restsUntil'],
): LookupOutcome {
  switch (outcome.kind) {
    case 'found':
    case 'no session':
    case 'fault':
    case 'unusable':
      return whose === 'service' ? outcome : { ...outcome, account: whose };
    case 'forbidden':
      return { kind: 'forbidden', whose: whose === 'person' ? whose : 'service' };
    case 'refused':
      return whose === 'person'
        ? { kind: 'refused', whose }
        : { kind: 'refused', whose: 'service', restsUntil: restsUntil() };
    case 'no answer':
    case 'paused':
      return outcome;
  }
}

function judge({ kind }: SessionOutcome | Paused): Judgement {
  if (kind === 'refused') return 'refused';
  return kind === 'found' || kind === 'no session' || kind === 'forbidden' ? 'accepted' : 'unknown';
}

const NO_ADDRESS = { kind: 'no answer', fault: { kind: 'unreachable', code: 'NO_ADDRESS' } } as const;

type Answer = { kind: 'asked'; wire: HttpOutcome; session: SessionOutcome };

/** What an answer says of the NAC's health. No call gets past a refused certificate; one answer that is too large says nothing. */
function healthOf({ wire, session }: Answer): Health {
  if (wire.kind === 'answered') return session.kind === 'fault' && session.status >= 500 ? 'ailing' : 'well';
  const { kind } = wire.fault;
  if (kind === 'unreachable' || kind === 'untrusted') return 'down';
  return kind === 'cut off' || kind === 'timed out' ? 'ailing' : 'well';
}

function isDown({ wire }: Answer): boolean {
  if (wire.kind === 'answered') return wire.status >= 502 && wire.status <= 504;
  return wire.fault.kind !== 'too large';
}

/** Stops repeated calls to a failing address, by the rules of `domain/breaker.ts`. */
function createBreaker(now: () => number) {
  let state = CLOSED;
  return {
    async guard(question: Question, call: () => Promise<Answer>): Promise<Answer | Paused> {
      const admission = admit(state, question.asker, now());
      if (admission.kind === 'paused') return admission;
      state = begin(state, admission);
      const { openings } = state;
      let health: Health | undefined;
      try {
        const outcome = await call();
        health = healthOf(outcome);
        return outcome;
      } finally {
        state = end(state, { ...question, at: now(), admission, health, openings });
      }
    },
    /** Until when calls are paused for everybody; undefined if they are not. */
    until(): number | undefined {
      const pause = state.pauses.get(EVERYBODY);
      return pause && now() < pause.until ? pause.until : undefined;
    },
  };
}

const isComplete = completeTest('sessionParameters');

/**
 * Checks status and root element before it takes anything from the body: that of a "no session", a 500, holds tokens by the
 * rule, and a login page can come with 200.
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored: TokenTest = () => false): SessionOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const { status, headers, text } = outcome;
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  const root = rootElement(text);
  if (root === 'mnt-rest-result')
    return status === 500 && text.split('<').some(saysNoSession)
      ? { kind: 'no session' }
      : { kind: 'fault', status };
  if (status >= 300 && status < 400) return { kind: 'unusable', reason: 'login page' };
  if (status !== 200) return { kind: 'fault', status };
  if (root === 'sessionParameters') {
    if (!isComplete(text)) return { kind: 'unusable', reason: 'cut off' };
    const tokens = extractTokens(text).filter((token) => !isIgnored(token));
    return { kind: 'found', tokens, record: withoutIgnored(readRecord(text), isIgnored), text };
  }
  const isPage =
    root?.toLowerCase() === 'html' || /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  if (isPage || /^\s*<!doctype html/i.test(text)) return { kind: 'unusable', reason: 'login page' };
  const isCutOff = root === undefined && /^\s*(?:<|$)/.test(text); // Before the root's start tag ended.
  return { kind: 'unusable', reason: isCutOff ? 'cut off' : 'unknown' };
}

/** Checks the words, since other things can be not available. One expression would scan a long text again and again. */
function saysNoSession(text: string): boolean {
  const at = text.search(/\bis\s+not\s+available/i);
  return at !== -1 && /session/i.test(text.slice(0, at));
}
