import { describe, expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { Secret } from '../../src/domain/secret.ts';
import { OPTIONAL_MS } from '../../src/nac/calls.ts';
import { createEndpoints } from '../../src/nac/endpoints.ts';
import { guardOf } from '../credentials/memory-store.ts';
import { type Answer, closedUrl, openUpstream, record, serve } from '../serve.ts';

const MAC = '00:1B:54:00:00:31' as MacAddress;
const OTHER = '00:1B:54:00:00:32' as MacAddress;
const OPEN = `/api/v1/endpoint/${MAC}`;
const ERS = `/ers/config/endpoint/name/${MAC}`;
const GROUP = '/ers/config/endpointgroup/5f2c-11ee';

const TEXTS = { portalUser: 'megan', description: 'Crane label printer' };
const RECORD = { id: 'e1', mac: MAC, groupId: '5f2c-11ee', staticGroupAssignment: true, ...TEXTS };
const KNOWN = { kind: 'known', staticGroupAssignment: true, ...TEXTS, group: 'Harbour_Printers' };
const BARE = { mac: MAC, groupId: '5f2c-11ee', portalUser: '', description: null };
const UNNAMED = { kind: 'known', group: undefined, portalUser: undefined, description: undefined };

const json = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body) });
const PAGE: Answer = { status: 404, body: '<html>HTTP Status 404</html>' };
const NAMED = json({ EndPointGroup: { id: '5f2c-11ee', name: 'Harbour_Printers' } });
const OPEN_404 = json({ code: 404, message: 'Endpoint not found' }, 404);
const ERS_404 = json({ ERSResponse: { messages: [{ title: 'Resource not found' }] } }, 404);

/** The records of the administration node here. The clock of its guard stands still. */
function openAt(url: string) {
  const clock = { now: 1000 };
  const ends: string[] = [];
  const account = { username: 'svc', password: new Secret('<PASSWORD>') };
  const now = () => clock.now;
  const node = { upstream: openUpstream({ timeoutMs: OPTIONAL_MS }), url: new URL(url) };
  const onEnd = (end: string) => void ends.push(end);
  const find = createEndpoints(node, guardOf(account, now), onEnd);
  return { find: (address = MAC) => find(address, 'alex'), clock, ends };
}

async function openNode(...answers: [Answer, ...Answer[]]) {
  const { url, received } = await record(...answers);
  return { ...openAt(url), paths: () => received.map(({ path }) => path) };
}

describe("a device's own record", () => {
  it.each<[what: string, answers: [Answer, ...Answer[]], endpoint: object | undefined, paths: string[]]>([
    ['the newer interface', [json(RECORD), NAMED], KNOWN, [OPEN, GROUP]],
    ['ERS alone', [PAGE, json({ ERSEndPoint: RECORD }), NAMED], KNOWN, [OPEN, ERS, GROUP]],
    ['a device that is missing', [OPEN_404], { kind: 'not known' }, [OPEN]],
    ['a device that ERS misses', [PAGE, ERS_404], { kind: 'not known' }, [OPEN, ERS]],
    ['no interface', [PAGE], undefined, [OPEN, ERS]],
    ['a gateway without the path', [json({ message: 'Not Found', path: OPEN }, 404)], undefined, [OPEN, ERS]],
    ['a login page', [{ status: 200, body: '<html></html>' }], undefined, [OPEN, ERS]],
    ['a refused account', [{ status: 401 }], undefined, [OPEN]],
    ['an account without the role', [{ status: 403 }], undefined, [OPEN]],
    ['a group that cannot be read', [json(BARE), { status: 500 }], UNNAMED, [OPEN, GROUP]],
    ['a group that leads elsewhere', [json({ ...BARE, groupId: '../../CoA' })], UNNAMED, [OPEN]],
  ])('from %s', async (_, answers, endpoint, paths) => {
    const { find, paths: asked } = await openNode(...answers);
    expect(await find()).toEqual(endpoint && expect.objectContaining(endpoint));
    expect(asked()).toEqual(paths);
  });

  it('is asked for where it was found, and an empty 404 there means missing', async () => {
    const found = json({ ERSEndPoint: {} });
    const { find, paths } = await openNode(PAGE, found, { status: 404 }, PAGE, found);
    await find();
    expect(await find()).toEqual({ kind: 'not known' });
    expect(await find()).toBeUndefined();
    expect(paths()).toEqual([OPEN, ERS, ERS, ERS, OPEN]);
  });

  it("keeps a group's name", async () => {
    const { find, paths } = await openNode(json(RECORD), NAMED, json(RECORD));
    await find();
    expect(await find()).toMatchObject(KNOWN);
    expect(paths()).toEqual([OPEN, GROUP, OPEN]);
  });

  it.each([401, 403])('rests for a minute after %i, and is read again after it', async (status) => {
    const { find, clock, ends, paths } = await openNode({ status }, json(RECORD), NAMED);
    await find();
    clock.now += 59_999;
    expect(await find()).toBeUndefined();
    expect(paths()).toHaveLength(1);
    clock.now += 1;
    expect(await find()).toMatchObject(KNOWN);
    expect(ends).toEqual(['refused', 'read']);
  });

  it.each([
    ['nothing answers', () => serve(() => {})],
    ['no connection is made', closedUrl],
  ])('costs no more than 2.5 s if %s', async (_, open) => {
    const { find, ends } = openAt(await open());
    const begun = performance.now();
    expect(await find()).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(OPTIONAL_MS + 400);
    await expect.poll(() => ends).toEqual(['failed']);
  });

  it('is not asked for once nobody waits', async () => {
    const paths: unknown[] = [];
    const url = await serve((request) => void paths.push(request.url));
    const { find, ends } = openAt(url);
    expect(await Promise.all([find(), find(OTHER)])).toEqual([undefined, undefined]);
    await expect.poll(() => ends).toEqual(['failed']);
    expect(paths).toEqual([OPEN]);
  });
});
