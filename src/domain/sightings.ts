import { isGateway, isGroup, type Sighting } from './mac-address.ts';

/** `asked`: the first line stands behind a command, or all of it answers "Which device?". `overheard`: to other people. */
export type Reach = 'asked' | 'addressed' | 'overheard';

/** `gateway`: an address that routers share. `suspect`: perhaps an address. `other`: none, though it is written like one. */
type SightingKind = 'device' | 'group' | 'infrastructure' | 'gateway' | 'suspect' | 'other';

/**
 * Judges MAC addresses by form and place. Clear ones are devices, and six pairs with hyphens or colons. Twelve digits without a
 * separator and other decimal ones are a device behind a command in its line, or first in a later line, behind a word for an
 * address, and alone in a line, a field or a cell, unless the cell's column is headed otherwise. Behind a word for another thing
 * they are none; in a link, a suspect. In overheard texts, an address needs a letter, and a word for an address or separators: twelve digits can be a hash.
 */
export function sortSightings(plain: string, sightings: readonly Sighting[], reach: Reach) {
  const cells = cellsOf(plain, sightings);
  const [firstLine = ''] = plain.split('\n', 1);
  const askedUntil = reach === 'asked' ? firstLine.length : 0;
  return Object.groupBy(sightings, ({ start, end, address, isDoubtful }, index): SightingKind => {
    const device = isGroup(address) ? 'group' : 'device';
    const before = plain.slice(Math.max(0, start - MAX_LABEL, sightings[index - 1]?.end ?? 0), start);
    const { text = '', head = '' } = cells[index] ?? {};
    const isField = /[:=] ?["'`]$/.test(before) && /["'`]/.test(plain.charAt(end));
    const isAlone = isField || text.length === end - start;
    const ownLabel = toWords(OWN_LABEL.exec(before)?.[0] ?? '');
    const isHeaded = (isAlone && (ownLabel === '' || isNaming(head))) || /\bbssid\b/.test(head);
    const label = isHeaded ? head : ownLabel;
    if (isGateway(address)) return 'gateway';
    if (INFRASTRUCTURE.test(label) || BEFORE_OTHERS.test(plain.slice(end, end + 100)))
      return isGroup(address) ? 'other' : 'infrastructure';
    const isNamed = FOR_ADDRESSES.test(label);
    const isNumbered = !isHeaded && /\d\W{1,3}$/.test(before); // "INC0012345 001b54000003"
    const isThing = OTHER_THING.test(label) && !isNumbered;
    const isOther = !isNamed && (isThing || plain.startsWith('0x', start) || /[+#]$/.test(before));
    const written = plain.slice(start, end);
    if (reach === 'overheard')
      return !isDoubtful && /[a-f]/i.test(written) && (isNamed || SHAPED.test(written)) ? device : 'other';
    if ((!isDoubtful && !/^[\da-f]{12}$/i.test(written)) || /^\w\w[-:]/.test(written)) return device;
    if (isOther) return 'other';
    const isLinked = /:\/\/\S*$/.test(plain.slice(Math.max(0, start - MAX_LABEL), start));
    if ((start < askedUntil && !isLinked) || isNamed || (reach === 'asked' && label === '')) return device;
    return isAlone && head === '' ? device : 'suspect';
  });
}

/** The words before an address in its line, and the line that opens its block: `ap:`, `"ap": {`. */
const OWN_LABEL = /(?:[^\n]*[:{]\s*\n[ \t]+)?[^\n]*$/;

/** Pairs with colons or hyphens, Cisco's dots, and the names that devices make of their address. */
const SHAPED = /^(?:\w\w?[:-]|\w{4}\.\w{4}\.|[a-f]*[g-z])/i;

/**
 * Behind an access point's address stand its firmware (`f09fc2b12233,v6.2.35`) or its radio (`Campus/9c:1c:12:92:2e:f1/a-VHT-80`),
 * and behind a switch's own in its table `STATIC  CPU` or `static - F F sup-eth1(R)`.
 */
const BEFORE_OTHERS =
  /^(?:,(?:v|[\w-]{1,30}-)\d+\.\d|\/(?:[\d.]+GHz|[abgn](?![\da-f]))| +static +(?:\S +\w +\w +)?(?:CPU|Vl(?:an)?\d+|sup-eth\d+(?:\(R\))?) *(?:\r?\n|$))/i;

const ITS_ADDRESS = '(?: (?:\\w*mac|id|identifier|add?r\\w*|name|base|radio|eth|ethernet|phy|is|was))*$';
const EQUIPMENT =
  'ap|access point|switch|sw|gw|bridge|controller|wlc|wtp|ac|nas|authenticator|gateway|router|radio';
/** The end of a label in words: `ap mac`, `called station id`. Other equipment needs a word for its address too. */
const INFRASTRUCTURE = new RegExp(
  `(?:^(?:base|system) mac|(?:^|(?<!which|what) )(?:ap|bssid|bss|access point|switch|called station|chassis|(?:ap|ac|wlc|switch)mac|(?:${EQUIPMENT})(?: (?:wired|wireless|w?lan|eth|ethernet|radio|base|system|serial|mgmt|management))* (?:\\w*mac|id|addr)\\w*))${ITS_ADDRESS}`,
);
const FOR_ADDRESSES = new RegExp(
  `(?:^| )(?:\\w*(?<!h)mac(?:addr(?:ess)?)?|(?<!\\b(?:ip|mail|web) )(?!ip|mail|web)\\w*addr(?:ess)?|client|(?:calling )?station|endpoint|(?:device|hardware|physical|phys|unique)(?= (?:mac|id|addr)))${ITS_ADDRESS}`,
);
/** Tickets, orders and telephones; builds, commits and containers. */
const OTHER_THING =
  /(?:^| )(?:ticket|case|order|po|incident|inc|invoice|request|req|change|chg|problem|issue|ref|reference|serial|sn|account|(?<!ip |voip )phone|tel|telephone|mobile|fax|call|ring|job|build|version|commit|branch|tag|image|container|docker|sha|digest|hash|uuid|guid|txn|transaction|trace|span|lot|batch|asset|session|sessionid|id|s n)(?: (?:no|nr|number|num|id|me|us|at|on|is|was|name))*$/;

const isNaming = (label: string) =>
  [INFRASTRUCTURE, FOR_ADDRESSES, OTHER_THING].some((each) => each.test(label));

/** Long, because controllers fill the space between a label and its value with dots. */
const MAX_LABEL = 80;

/** `ap_mac`, `apMac` and `AP MAC......: ` in the same words, of the last part of a list. */
const toWords = (label: string) =>
  label
    .slice(-MAX_LABEL)
    .replace(/^.*[,;] /s, '')
    .replace(/"[^"]*" \(?$/, '')
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();

/** Each sighting's cell, bare, and its column's head: the first of the rows with as many cells, if it holds no address. */
function cellsOf(plain: string, sightings: readonly Sighting[]) {
  const found: Array<{ text: string; head: string }> = [];
  const isBefore = (end: number) => (sightings[found.length]?.start ?? end) < end;
  let heads: string[] = [];
  let start = 0;
  for (const row of plain.split('\n')) {
    const parts = row.trim().split(GAP);
    const count = (parts.length + 1) / 2;
    const isHead = count > 1 && !isBefore(start + row.length);
    if (count !== heads.length) heads = isHead ? parts.filter((_, at) => at % 2 === 0).map(toWords) : [];
    let end = start + row.length - row.trimStart().length;
    for (const [at, part] of parts.entries()) {
      end += part.length;
      while (isBefore(end)) found.push({ text: withoutEdges(part), head: heads[at / 2] ?? '' });
    }
    start += row.length + 1;
  }
  return found;
}

/** Two spaces, a bar, a semicolon, and a comma without a space part the cells of a row. */
const GAP = /( {2,}|[|;]|,(?! ))/;

const withoutEdges = (cell: string) =>
  cell.length > 60 ? '' : cell.replace(/^(?:\d{1,3}[.)] +)?[^\p{L}\p{N}]*|[^\p{L}\p{N}]+$/gu, '');
