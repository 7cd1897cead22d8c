import { describe, expect, it } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { found, stageLookup } from '../commands/lookup-stage.ts';
import { WITHOUT_SESSION } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';
const LINK = 'https://nac.example.com/admin/a b?mac={mac}#/endpoints/{mac}';
const OPEN = {
  type: 'Action.OpenUrl',
  title: 'Open in the NAC',
  url: `https://nac.example.com/admin/a%20b?mac=${DEVICE}#/endpoints/${DEVICE}`,
};

describe("the button to the NAC's own page", () => {
  it('opens the page of the device, beside the other buttons', async () => {
    expect(await actionsOf(DEVICE, found())).toMatchObject([
      { title: 'Look up again' },
      { title: 'Show all fields' },
      OPEN,
      { title: 'Show the tokens' },
    ]);
  });

  it.each(WITHOUT_SESSION)('is there too without a session: %s', async (_, outcome) => {
    expect(await actionsOf(DEVICE, outcome)).toMatchObject([{ title: 'Look up again' }, OPEN]);
  });

  it('has the MAC address of a device that was asked for by its IP address', async () => {
    const outcome = found({ calling_station_id: DEVICE });
    expect(await actionsOf('198.51.100.23', outcome)).toContainEqual(OPEN);
  });

  it.each<[string, string, LookupOutcome, { nacLink?: undefined }]>([
    ['whose MAC address is not known', '198.51.100.23', { kind: 'no session' }, {}],
    ['that is none', 'FF:FF:FF:FF:FF:FF', { kind: 'no session' }, {}],
    ['if no page is set', DEVICE, found(), { nacLink: undefined }],
  ])('is not there for a device %s', async (_, text, outcome, script) => {
    expect(JSON.stringify(await actionsOf(text, outcome, script))).not.toContain('OpenUrl');
  });

  it('is not there for several devices, because a press on one shows its own card', async () => {
    expect(JSON.stringify(await actionsOf(`${DEVICE} 00:1B:54:00:00:08`, found()))).not.toContain('OpenUrl');
  });
});

async function actionsOf(text: string, outcomes: LookupOutcome, script: { nacLink?: undefined } = {}) {
  const stage = stageLookup({ outcomes, nacLink: LINK, ...script });
  return (await stage.answer(`lookup ${text}`)).card?.actions ?? [];
}
