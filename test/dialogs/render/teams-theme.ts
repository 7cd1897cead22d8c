/**
 * Teams' host configuration for Adaptive Cards, light and dark, and the look of its buttons and fields. Facts from
 * microsoft/AdaptiveCards (MIT): samples/HostConfig/microsoft-teams-*.json, and the designer's teams-container-*.css.
 */
export type Theme = 'light' | 'dark';

export function hostConfigOf(theme: Theme): object {
  const { texts, onTint, plain } = COLOURS[theme];
  const containerStyles = Object.entries({ ...plain, ...TINTED }).map(([name, backgroundColor]) => {
    const colours = Object.entries({ ...texts, ...(name in TINTED && onTint) });
    const foregroundColors = colours.map(([colour, [text, subtle]]) => [colour, { default: text, subtle }]);
    return [name, { backgroundColor, foregroundColors: Object.fromEntries(foregroundColors) }];
  });
  return { ...SIZES, containerStyles: Object.fromEntries(containerStyles) };
}

/** Rules for the page around the cards, and for what the renderer leaves to its host. */
export function stylesOf(theme: Theme): string {
  const of = (name: keyof typeof PAGE) => PAGE[name][theme === 'light' ? 0 : 1];
  return `
    body { margin: 12px; background: ${of('page')}; color: ${of('text')} }
    main { display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start }
    main > div { box-sizing: border-box; border: 2px solid ${of('border')}; border-radius: 4px; overflow-wrap: anywhere }
    .ac-pushButton { font: 14px ${FONT}; height: 34px; max-width: 100%; padding: 4px 10px 5px; overflow: hidden;
      text-overflow: ellipsis; background: transparent; color: ${of('button')}; border: 2px solid ${of('buttonBorder')};
      border-radius: 4px }
    .ac-actionSet { flex-wrap: wrap; row-gap: 8px }
    .ac-input { font: 14px ${FONT}; height: 31px; padding: 4px 8px; color: ${of('text')}; background: ${of('field')};
      border: 1px solid ${of('field')}; border-radius: 4px }`;
}

const FONT = "'Segoe UI', Tahoma, Geneva, Verdana, sans-serif";
const FONT_SIZES = { small: 12, default: 14, medium: 14, large: 18, extraLarge: 24 };
const FONT_WEIGHTS = { lighter: 200, default: 400, bolder: 600 };

const SIZES = {
  supportsInteractivity: true,
  spacing: { small: 8, default: 12, medium: 16, large: 20, extraLarge: 24, padding: 16 },
  separator: { lineThickness: 1, lineColor: '#EEEEEE' },
  fontTypes: {
    default: { fontFamily: FONT, fontSizes: FONT_SIZES, fontWeights: FONT_WEIGHTS },
    monospace: { fontFamily: "'Courier New', monospace", fontSizes: FONT_SIZES, fontWeights: FONT_WEIGHTS },
  },
  textStyles: { heading: { size: 'large', weight: 'bolder' } },
  textBlock: { headingLevel: 2 },
  actions: { maxActions: 6, buttonSpacing: 8, actionsOrientation: 'Horizontal', actionAlignment: 'Left' },
};

/** Colours of text, full and subtle. Alpha stands first: `#bf252424` is 75 % of `#252424`. */
type Texts = Readonly<Record<string, readonly [string, string]>>;

const textsOf = (plain: string, accent: string, attention: string): Texts => ({
  good: ['#92c353', '#e592c353'],
  warning: ['#f8d22a', '#e5f8d22a'],
  default: [`#${plain}`, `#bf${plain}`],
  accent: [`#${accent}`, '#8b8cc7'],
  attention: [`#${attention}`, `#e5${attention}`],
});

const COLOURS: Readonly<Record<Theme, { texts: Texts; onTint: Texts; plain: Record<string, string> }>> = {
  light: {
    texts: textsOf('252424', '6264a7', 'c4314b'),
    onTint: {},
    plain: { default: '#ffffff', emphasis: '#f9f8f7' },
  },
  dark: {
    texts: textsOf('ffffff', 'a6a7dc', 'd74654'),
    onTint: { default: ['#201f1f', '#2d2c2c'] }, // Tinted backgrounds are the same in both themes.
    plain: { default: '#2d2c2c', emphasis: '#292828' },
  },
};

const TINTED = { accent: '#C7DEF9', good: '#CCFFCC', attention: '#FFC5B2', warning: '#FFE2B2' };

const PAGE = {
  page: ['#f5f5f5', '#201e1f'],
  border: ['#f1f0ef', '#393738'],
  text: ['#000000', '#eeeeee'],
  button: ['#6264a7', '#ffffff'],
  buttonBorder: ['#bfc0da', '#6165a4'],
  field: ['#f3f2f1', '#201e1f'],
} as const;
