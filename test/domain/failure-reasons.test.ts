import { describe, expect, it } from 'vitest';
import { readFailureReasons } from '../../src/domain/failure-reasons.ts';
import { FAILURE_REASONS_XML } from '../../src/sandbox/failure-reasons-xml.ts';

describe('the catalogue of failure reasons', () => {
  it("is read by code: the sandbox's", () => {
    const reasons = readFailureReasons(FAILURE_REASONS_XML);
    expect(reasons.size).toBeGreaterThan(25);
    expect(reasons.get('12520')).toEqual({
      code: '12520',
      words: 'The handshake ended because the device sent an alert',
      cause: 'The device does not accept the certificate that the NAC showed.',
      resolution: 'Install the authority of the NAC on the device.',
    });
    expect(reasons.get('90001')?.words).toBe('A network device sends too many requests');
  });

  it.each([
    ['code and words', 'id="1234"', '<code>5678 Words</code>', ['5678', 'Words']],
    ['words, and the code as the id', "id='100001'", '<code>Words</code>', ['100001', 'Words']],
    ['a code alone', 'id="1234"', '<code>5678</code><cause>C</cause>', ['5678', undefined]],
    ['a prefix', 'a:b="c" id = "1234"', '<x:code>Words</x:code>', ['1234', 'Words']],
  ])('has entries with %s', (_, attributes, children, [code, words]) => {
    const [reason] = readFailureReasons(entry(attributes, children)).values();
    expect(reason).toMatchObject({ code, words });
  });

  it.each([
    ['without a code', entry('', '<code>Words</code>')],
    ['that explains nothing', entry('id="1234"', '<cause/>')],
    ['with an id of another kind', entry('id="x1234"', '<code>Words</code>')],
    ['of another kind', '<failureReasonList><failureReasons id="1234"><code>5678 W</code></failureReasons>'],
  ])('leaves out an entry %s', (_, xml) => {
    expect(readFailureReasons(xml).size).toBe(0);
  });

  it('keeps the first entry of a code', () => {
    const twice = entry('', '<code>5678 One</code>') + entry('', '<code>5678 Two</code>');
    expect(readFailureReasons(twice).get('5678')?.words).toBe('One');
  });

  it('is bounded', () => {
    let xml = '';
    for (let code = 10_000; code < 40_000; code++) xml += `<failureReason><code>${code} W</code>`;
    expect(readFailureReasons(xml).size).toBe(20_000);
  });
});

function entry(attributes: string, children: string): string {
  return `<failureReasonList><failureReason ${attributes}>${children}</failureReason></failureReasonList>`;
}
